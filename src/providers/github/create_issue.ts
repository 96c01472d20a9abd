import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { githubCredential } from "./credential.ts";

export const action = defineAction({
  id: "github_create_issue",
  title: "Create issue",
  description: "Open an issue in a repository.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: githubCredential,
  input: z.strictObject({
    owner: z
      .string()
      .min(1)
      .describe("User or organization that owns the repository, e.g. octocat.")
      .meta({ choices: "owners" }),
    repo: z
      .string()
      .min(1)
      .describe("Name of the repository without its owner, e.g. hello-world.")
      .meta({ choices: "repositories", choicesNeed: ["owner"] }),
    title: z.string().min(1).describe("Title."),
    body: z.string().optional().describe("Markdown body."),
    labels: z
      .array(z.string().meta({ choices: "labels", choicesNeed: ["owner", "repo"] }))
      .optional()
      .describe("Label names."),
    assignees: z
      .array(z.string().meta({ choices: "assignees", choicesNeed: ["owner", "repo"] }))
      .optional()
      .describe("Logins of the people it is assigned to, e.g. octocat."),
  }),
  output: z.object({
    number: z.int().optional().describe("Issue number."),
    id: z.int().optional().describe("Id of the issue across GitHub."),
    title: z.string().optional().describe("Title."),
    state: z.string().optional().describe("Always open for a new issue."),
    url: z.string().optional().describe("Web address."),
  }),
  async run({ input: { owner, repo, ...issue }, http }) {
    const created = await http.json({ method: "POST", path: path`/repos/${owner}/${repo}/issues`, json: issue });
    return [
      {
        number: requireProof("GitHub", integerAt(created, "number"), "issue number"),
        id: integerAt(created, "id"),
        title: textAt(created, "title"),
        state: textAt(created, "state"),
        url: textAt(created, "html_url"),
      },
    ];
  },
});
