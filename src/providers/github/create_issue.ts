import { z } from "zod";
import { path } from "../../contract/http.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { defineTool } from "../../contract/tool.ts";
import { githubCredential } from "./credential.ts";

export const tool = defineTool({
  id: "github_create_issue",
  title: "Create issue",
  description: "Open an issue in a repository.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: githubCredential,
  input: z.strictObject({
    owner: z.string().min(1).describe("Repository owner."),
    repo: z.string().min(1).describe("Repository name."),
    title: z.string().min(1).describe("Title."),
    body: z.string().optional().describe("Markdown body."),
    labels: z.array(z.string()).optional().describe("Label names."),
    assignees: z.array(z.string()).optional().describe("Logins."),
  }),
  output: z.object({
    number: z.int().optional().describe("Issue number."),
    id: z.int().optional(),
    title: z.string().optional(),
    state: z.string().optional(),
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
