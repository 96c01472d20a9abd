import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { collectPages } from "../../contract/pages.ts";
import { readIssue, searchIssues } from "./client.ts";
import { jiraCredential } from "./credential.ts";

export const action = defineAction({
  id: "jira_search_issues",
  title: "Search issues",
  description: "Search issues with JQL.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: jiraCredential,
  input: z.strictObject({
    jql: z
      .string()
      .min(1)
      .meta({ title: "JQL" })
      .describe(
        "JQL that names what to search in, e.g. project = ENG AND status != Done. Jira refuses one without bounds.",
      ),
    fields: z
      .array(z.string())
      .default(["summary", "status", "assignee", "priority", "updated"])
      .describe("Fields to return."),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    key: z.string().optional().describe("Issue key, e.g. ENG-12."),
    id: z.string().optional().describe("Issue id."),
    summary: z.string().optional().describe("Title."),
    status: z.string().optional().describe("Name of the status."),
    assignee: z.string().optional().describe("Name of the assignee."),
    priority: z.string().optional().describe("Name of the priority."),
    updated: z.string().optional().describe("Time of the last change, ISO 8601."),
    url: z.string().optional().describe("Web address."),
    fields: z.record(z.string(), z.unknown()).optional().describe("All fields that were asked for, by id."),
  }),
  async run({ input: { jql, fields, limit }, credential, http }) {
    const issues = await collectPages<unknown, string>(limit, (nextPageToken, maxResults) =>
      searchIssues(http, { jql, fields, maxResults, nextPageToken }),
    );
    return issues.map((issue) => readIssue(issue, credential.site));
  },
});
