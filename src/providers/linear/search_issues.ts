import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { collectPages } from "../../contract/pages.ts";
import { at, listAt } from "../../contract/read.ts";
import { findTeamId, issueFields, nextCursor, queryLinear, readIssue } from "./client.ts";
import { linearCredential } from "./credential.ts";

const query = `query ($term: String!, $teamId: String, $first: Int, $after: String) {
  searchIssues(term: $term, teamId: $teamId, first: $first, after: $after) {
    nodes { ${issueFields} }
    pageInfo { hasNextPage endCursor }
  }
}`;

export const action = defineAction({
  id: "linear_search_issues",
  title: "Search issues",
  description: "Full-text search of issues.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: linearCredential,
  input: z.strictObject({
    term: z.string().min(1).describe("Search text."),
    teamId: z.string().min(1).optional().describe("Id (UUID) or key of the team, e.g. ENG.").meta({ choices: "teams" }),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    id: z.string().optional().describe("Issue id."),
    identifier: z.string().optional().describe("Readable id, e.g. ENG-12."),
    title: z.string().optional().describe("Title."),
    state: z.string().optional().describe("Name of the state."),
    assignee: z.string().optional().describe("Name of the assignee."),
    priority: z.int().optional().describe("0 none, 1 urgent - 4 low."),
    url: z.string().optional().describe("Web address."),
    updatedAt: z.string().optional().describe("Time of the last change, ISO 8601."),
  }),
  async run({ input, http }) {
    const teamId = input.teamId === undefined ? undefined : await findTeamId(http, input.teamId);
    const issues = await collectPages<unknown, string>(input.limit, async (after, first) => {
      const data = await queryLinear(http, { query, variables: { term: input.term, teamId, first, after } });
      const found = at(data, "searchIssues");
      return { items: listAt(found, "nodes"), next: nextCursor(found) };
    });
    return issues.map(readIssue);
  },
});
