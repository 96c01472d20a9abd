import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { path } from "../../contract/http.ts";
import { integerAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { githubCredential } from "./credential.ts";

export const action = defineAction({
  id: "github_create_issue_comment",
  title: "Comment on issue",
  description: "Add a comment to an issue or pull request.",
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
    issueNumber: z
      .int()
      .describe("Number of the issue or pull request, as in its address; github_search_issues finds it."),
    body: z.string().min(1).describe("Markdown text."),
  }),
  output: z.object({
    id: z.int().optional().describe("Comment id."),
    url: z.string().optional().describe("Web address."),
    createdAt: z.string().optional().describe("Time it was made, ISO 8601."),
  }),
  async run({ input: { owner, repo, issueNumber, body }, http }) {
    const comment = await http.json({
      method: "POST",
      path: path`/repos/${owner}/${repo}/issues/${issueNumber}/comments`,
      json: { body },
    });
    return [
      {
        id: requireProof("GitHub", integerAt(comment, "id"), "comment id"),
        url: textAt(comment, "html_url"),
        createdAt: textAt(comment, "created_at"),
      },
    ];
  },
});
