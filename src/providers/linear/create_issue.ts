import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { providerFailure } from "../../contract/http.ts";
import { at, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { findTeamId, queryLinear } from "./client.ts";
import { linearCredential } from "./credential.ts";

const query =
  "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier url } } }";

export const action = defineAction({
  id: "linear_create_issue",
  title: "Create issue",
  description: "Create an issue in a team.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: linearCredential,
  input: z.strictObject({
    teamId: z
      .string()
      .min(1)
      .describe("Id (UUID) or key of the team, e.g. ENG: the letters before the number of its issues.")
      .meta({ choices: "teams" }),
    title: z.string().min(1).describe("Title of the issue."),
    description: z.string().optional().describe("Markdown."),
    priority: z.int().min(0).max(4).optional().describe("0 none, 1 urgent - 4 low."),
    assigneeId: z
      .string()
      .optional()
      .describe('Id (UUID) of the assignee. Copy it in Linear with the command "Copy model UUID" on their profile.')
      .meta({ choices: "people" }),
    labelIds: z
      .array(z.string().meta({ choices: "labels" }))
      .optional()
      .describe('Ids (UUID) of labels. Copy them in Linear with the command "Copy model UUID" on a label.'),
  }),
  output: z.object({
    id: z.string().optional().describe("Issue id."),
    identifier: z.string().optional().describe("Readable id, e.g. ENG-12."),
    url: z.string().optional().describe("Web address."),
  }),
  async run({ input, http }) {
    const teamId = await findTeamId(http, input.teamId);
    const created = at(await queryLinear(http, { query, variables: { input: { ...input, teamId } } }), "issueCreate");
    if (at(created, "success") === false) throw providerFailure("Linear", { message: "the issue was not created" });
    return [
      {
        id: requireProof("Linear", textAt(created, "issue", "id"), "issue id"),
        identifier: textAt(created, "issue", "identifier"),
        url: textAt(created, "issue", "url"),
      },
    ];
  },
});
