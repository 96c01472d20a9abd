import { z } from "zod";
import { defineAction } from "../../contract/action.ts";
import { textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import { issueUrl, toDocument } from "./client.ts";
import { jiraCredential } from "./credential.ts";

export const action = defineAction({
  id: "jira_create_issue",
  title: "Create issue",
  description: "Create an issue in a project.",
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  credential: jiraCredential,
  input: z.strictObject({
    projectKey: z
      .string()
      .min(1)
      .describe("Key of the project: the letters before the number of its issues, e.g. ENG.")
      .meta({ choices: "projects" }),
    issueType: z
      .string()
      .min(1)
      .describe("Type name, e.g. Task.")
      .meta({ choices: "issueTypes", choicesNeed: ["projectKey"] }),
    summary: z.string().min(1).max(255).describe("Title of the issue, at most 255 characters."),
    description: z.string().optional().describe("Plain text, converted to Atlassian document format."),
    labels: z
      .array(z.string().regex(/^\S+$/, "must not be empty or have spaces"))
      .optional()
      .describe('Labels without spaces, e.g. ["bug"].'),
    assigneeAccountId: z
      .string()
      .optional()
      .describe("Account id of the assignee: the last part of the address of their profile page.")
      .meta({ choices: "assignees", choicesNeed: ["projectKey"] }),
    fields: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Further fields by id, e.g. {"priority": {"name": "High"}}.'),
  }),
  output: z.object({
    key: z.string().optional().describe("Issue key, e.g. ENG-12."),
    id: z.string().optional().describe("Issue id."),
    url: z.string().optional().describe("Web address."),
  }),
  async run({
    input: { projectKey, issueType, summary, description, labels, assigneeAccountId, fields },
    credential,
    http,
  }) {
    const json = {
      fields: {
        ...fields,
        project: { key: projectKey },
        issuetype: { name: issueType },
        summary,
        ...(description ? { description: toDocument(description) } : {}),
        ...(labels ? { labels } : {}),
        ...(assigneeAccountId ? { assignee: { id: assigneeAccountId } } : {}),
      },
    };
    const created = await http.json({ method: "POST", path: "/rest/api/3/issue", json });
    const id = requireProof("Jira Cloud", textAt(created, "id"), "issue id");
    const key = textAt(created, "key");
    return [{ key, id, url: issueUrl(credential.site, key) }];
  },
});
