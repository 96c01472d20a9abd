import fc from "fast-check";
import { type ProviderArguments, repeat } from "./argument-set.ts";

const name = fc.stringMatching(/^[A-Za-z0-9._-]{1,30}$/).filter((text) => !/^\.+$/.test(text));
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 });
const file = fc.constantFrom("README.md", "src/a b/ü#1.ts", "/docs//x?.md", ".github/x%20y", "docs/");
const repository = { owner: "acme", repo: "site" };
const issueFields = fc.record(
  {
    priority: fc.record({ name: text }),
    customfield_10010: fc.oneof(text, fc.integer()),
    duedate: fc.constant("2026-03-01"),
  },
  { requiredKeys: [] },
);

export const workArguments: Record<string, ProviderArguments> = {
  github: {
    credentials: [
      { kind: "bearer", accessToken: "ghp_x" },
      { kind: "oauth2", accessToken: "gho_x" },
    ],
    tools: {
      github_create_issue: {
        minimal: { ...repository, title: "Bug" },
        full: { ...repository, title: "Bug", body: "**x**", labels: ["bug", "a, b"], assignees: ["ann"] },
        hints: { owner: name, repo: name },
      },
      github_create_issue_comment: {
        minimal: { ...repository, issueNumber: 1, body: "yes" },
        full: { ...repository, issueNumber: 2_147_483_647, body: "yes" },
        hints: { owner: name, repo: name },
      },
      github_get_file: {
        minimal: { ...repository, path: "README.md" },
        full: { ...repository, path: "/docs/ü #1?.md", ref: "feature/x y" },
        others: [
          { ...repository, path: "a/../b" },
          { ...repository, path: "a/./b" },
        ],
        hints: { owner: name, repo: name, path: file },
        // The root of a repository is listed under the address without a path.
        isUndescribed: ({ path }) => /^\/*$/.test(String(path)),
      },
      github_search_issues: {
        minimal: { query: "is:open" },
        full: { query: 'repo:acme/site "a b" label:"x+y"', sort: "comments", order: "asc", limit: 100 },
      },
    },
  },
  jira: {
    credentials: [
      { kind: "basic", site: "acme", email: "a@example.com", apiToken: "t" },
      {
        kind: "oauth2",
        accessToken: "ey.x",
        cloudId: "11111111-2222-3333-4444-555555555555",
        site: "https://acme.atlassian.net",
      },
    ],
    tools: {
      jira_search_issues: {
        minimal: { jql: "project = ACME" },
        full: { jql: 'summary ~ "a \\"b\\"" ORDER BY created', fields: ["summary", "customfield_10010"], limit: 100 },
        others: [{ jql: "project = ACME", fields: [] }],
        page: (items, next) => ({
          issues: repeat(items, (index) => ({ id: String(index), key: `A-${index}` })),
          nextPageToken: next,
          isLast: next === undefined,
        }),
      },
      jira_create_issue: {
        minimal: { projectKey: "ACME", issueType: "Task", summary: "Do" },
        full: {
          projectKey: "ACME",
          issueType: "Task",
          summary: "Do",
          description: "one\ntwo\n\nthree",
          labels: ["a", "b"],
          assigneeAccountId: "5b10",
          fields: { priority: { name: "High" }, customfield_10010: 3 },
        },
        others: [
          { projectKey: "ACME", issueType: "Task", summary: "s".repeat(256) },
          { projectKey: "ACME", issueType: "Task", summary: "two\nlines" },
          { projectKey: "ACME", issueType: "Task", summary: "x", description: "\n \n", labels: ["a b"] },
          { projectKey: "ACME", issueType: "Task", summary: "x", description: "a\n\n\n\nb\n\tc\n \nd\n" },
        ],
        hints: { fields: issueFields },
      },
      jira_add_comment: {
        minimal: { issueKey: "ACME-1", text: "yes" },
        full: { issueKey: "10001", text: "one\ntwo\n\nthree" },
        others: [
          { issueKey: "ACME-1", text: " \n\n " },
          { issueKey: "ACME-1", text: "a\n   \nb\n\n" },
        ],
      },
    },
  },
  linear: {
    credentials: [
      { kind: "apiKey", apiKey: "lin_api_x" },
      { kind: "oauth2", accessToken: "lin_oauth_x" },
    ],
    tools: {
      linear_search_issues: {
        minimal: { term: "bug" },
        full: { term: 'bug "x"', teamId: "ENG", limit: 100 },
        others: [{ term: "bug", teamId: "9cfb482a-81e3-4154-b5b9-2c805e70a02d" }],
        hints: { teamId: fc.oneof(fc.uuid(), fc.constantFrom("ENG", "A1")) },
        page: (items, next) => ({
          data: {
            searchIssues: {
              nodes: repeat(items, (index) => ({ id: String(index) })),
              pageInfo: { hasNextPage: next !== undefined, endCursor: next ?? null },
            },
          },
        }),
      },
      linear_create_issue: {
        minimal: { teamId: "ENG", title: "Bug" },
        full: { teamId: "ENG", title: "Bug", description: "**x**", priority: 4, assigneeId: "u", labelIds: ["l"] },
        others: [{ teamId: "9cfb482a-81e3-4154-b5b9-2c805e70a02d", title: "Bug" }],
        // The team is looked up first.
        harmless: 1,
        hints: { teamId: fc.oneof(fc.uuid(), fc.constantFrom("ENG", "A1")) },
      },
    },
  },
};
