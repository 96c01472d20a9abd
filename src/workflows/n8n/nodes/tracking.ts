import type { Mapper } from "../mapped.ts";
import { type Reader, textOf } from "../reader.ts";
import { app, columns, limit, text, texts } from "./app.ts";

const ofIssue = (operation: string) => ({ resource: "issue", operation });

const github = app({
  title: "GitHub",
  usual: { resource: "issue", operation: "create" },
  rules: [
    {
      when: ofIssue("create"),
      to: "github_create_issue",
      fields: {
        owner: "owner",
        repo: "repository",
        title: "title",
        body: "body",
        labels: texts("labels", "label"),
        assignees: texts("assignees", "assignee"),
      },
    },
    {
      when: ofIssue("createComment"),
      to: "github_create_issue_comment",
      fields: { owner: "owner", repo: "repository", issueNumber: "issueNumber", body: "body" },
    },
    {
      when: { resource: "repository", operation: "getIssues" },
      to: "github_search_issues",
      fields: { query: (read) => issuesOf(read), limit: limit(100) },
    },
    {
      when: { resource: "file", operation: "get" },
      to: "github_get_file",
      fields: { owner: "owner", repo: "repository", path: "filePath", ref: "additionalParameters.reference" },
    },
  ],
});

function issuesOf(read: Reader): string {
  read.raw("getRepositoryIssuesFilters");
  return `repo:${textOf(read.value("owner"))}/${textOf(read.value("repository"))} is:issue`;
}

const jira = app({
  title: "Jira",
  usual: { resource: "issue", operation: "create" },
  rules: [
    {
      when: ofIssue("create"),
      to: "jira_create_issue",
      fields: {
        projectKey: text("project"),
        issueType: text("issueType"),
        summary: "summary",
        description: "additionalFields.description",
        labels: texts("additionalFields.labels"),
      },
      remark: "Choose project and type again: n8n keeps their ids.",
    },
    {
      when: ofIssue("getAll"),
      to: "jira_search_issues",
      fields: { jql: ["options.jql", "jql"], limit: limit(100) },
    },
    {
      when: { resource: "issueComment", operation: "add" },
      to: "jira_add_comment",
      fields: { issueKey: "issueKey", text: "comment" },
    },
  ],
});

const linear = app({
  title: "Linear",
  usual: { resource: "issue", operation: "create" },
  rules: [
    {
      when: ofIssue("create"),
      to: "linear_create_issue",
      fields: { teamId: "teamId", title: "title", description: "additionalFields.description" },
    },
  ],
});

const ofPage = (resource: string, operation: string) => ({ resource, operation });

const notion = app({
  title: "Notion",
  usual: { resource: "page", operation: "create" },
  rules: [
    {
      when: ofPage("databasePage", "create"),
      to: "notion_create_page",
      fields: { dataSourceId: "databaseId", title: "title" },
      remark: "Properties other than the title are left out: add them in Notion's form.",
    },
    {
      when: ofPage("page", "create"),
      to: "notion_create_page",
      fields: { parentPageId: "pageId", title: "title" },
    },
    { when: ofPage("page", "search"), to: "notion_search", fields: { query: "text", limit: limit(100) } },
    {
      when: { resource: ["page", "databasePage"], operation: "get" },
      to: "notion_get_page",
      fields: { pageId: "pageId" },
    },
  ],
});

const airtable = app({
  title: "Airtable",
  usual: { resource: "record", operation: "read" },
  rules: [
    {
      when: { operation: ["create", "append"] },
      to: "airtable_create_record",
      fields: { baseId: ["base", "application"], table: "table", fields: columns },
    },
    {
      when: { operation: ["search", "list"] },
      to: "airtable_list_records",
      fields: {
        baseId: ["base", "application"],
        table: "table",
        filterByFormula: ["filterByFormula", "additionalOptions.filterByFormula"],
        limit: limit(1000),
      },
    },
  ],
});

const hubspot = app({
  title: "HubSpot",
  usual: { resource: "contact", operation: "upsert" },
  rules: [
    {
      when: { resource: "contact", operation: ["upsert", "create"] },
      to: "hubspot_create_contact",
      fields: {
        email: "email",
        firstName: "additionalFields.firstName",
        lastName: "additionalFields.lastName",
        phone: "additionalFields.phoneNumber",
        company: "additionalFields.companyName",
      },
      remark: "It creates a contact, and refuses one that is there already. Search for it before.",
    },
    {
      when: { resource: "contact", operation: ["search", "getAll"] },
      to: "hubspot_search_contacts",
      fields: { query: "additionalFields.query", limit: limit(200) },
    },
  ],
});

const stripe = app({
  title: "Stripe",
  usual: { resource: "balance", operation: "get" },
  rules: [
    { when: { resource: "charge", operation: "getAll" }, to: "stripe_list_payments", fields: { limit: limit(100) } },
  ],
});

export const trackingNodes: Record<string, Mapper> = { github, jira, linear, notion, airtable, hubspot, stripe };
