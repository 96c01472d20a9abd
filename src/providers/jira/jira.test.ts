import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { toJsonSchema } from "../../catalog/json-schema.ts";
import type { CredentialData } from "../../contract/credential.ts";
import { action as addComment } from "./add_comment.ts";
import { siteAddress, toDocument } from "./client.ts";
import { action as createIssue } from "./create_issue.ts";
import { jiraCredential } from "./credential.ts";
import { action as searchIssues } from "./search_issues.ts";

const credential = { kind: "basic", site: "acme", email: "ann@example.com", apiToken: "jira-secret" };
const headers = {
  authorization: `Basic ${Buffer.from("ann@example.com:jira-secret").toString("base64")}`,
  accept: "application/json",
};
const failure = {
  answer: { status: 400, json: { errorMessages: ["The JQL is wrong."], errors: { project: "project is required" } } },
  says: /^Jira Cloud refused the call \(400\): The JQL is wrong\. project: project is required\.$/,
};
const document = (text: string) => ({
  type: "doc",
  version: 1,
  content: [{ type: "paragraph", content: [{ type: "text", text }] }],
});

const fields = ["summary", "status", "assignee", "priority", "updated"];
const issue = (number: number) => ({
  id: String(number),
  key: `ACME-${number}`,
  fields: { summary: `Issue ${number}` },
});
const found = (number: number) => ({
  id: String(number),
  key: `ACME-${number}`,
  summary: `Issue ${number}`,
  url: `https://acme.atlassian.net/browse/ACME-${number}`,
  fields: expect.objectContaining({ summary: `Issue ${number}` }),
});

describeHttpTool(searchIssues, {
  credential,
  failure,
  cases: [
    {
      name: "finds issues",
      input: { jql: "project = ACME" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/rest/api/3/search/jql",
            headers,
            json: { jql: "project = ACME", fields, maxResults: 20 },
          },
          answer: {
            json: {
              isLast: true,
              nextPageToken: "unused",
              issues: [
                {
                  ...issue(1),
                  fields: {
                    summary: "Issue 1",
                    status: { name: "Done" },
                    assignee: { displayName: "Ann" },
                    priority: { name: "High" },
                    updated: "2026-01-01T00:00:00.000+0000",
                  },
                },
                { ...issue(2), fields: { summary: "Issue 2", assignee: null } },
              ],
            },
          },
        },
      ],
      items: [
        { ...found(1), status: "Done", assignee: "Ann", priority: "High", updated: "2026-01-01T00:00:00.000+0000" },
        found(2),
      ],
    },
    {
      name: "follows pages until the limit",
      input: { jql: 'text ~ "ü\n\\"x\\""', fields: ["summary", "customfield_1"], limit: 3 },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/rest/api/3/search/jql",
            json: { jql: 'text ~ "ü\n\\"x\\""', fields: ["summary", "customfield_1"], maxResults: 3 },
          },
          answer: { json: { issues: [issue(1), issue(2)], nextPageToken: "t2" } },
        },
        {
          request: {
            method: "POST",
            path: "/rest/api/3/search/jql",
            json: {
              jql: 'text ~ "ü\n\\"x\\""',
              fields: ["summary", "customfield_1"],
              maxResults: 1,
              nextPageToken: "t2",
            },
          },
          answer: { json: { issues: [issue(3), issue(4)], nextPageToken: "t3", isLast: false } },
        },
      ],
      items: [found(1), found(2), found(3)],
    },
  ],
});

describeHttpTool(createIssue, {
  credential,
  failure,
  cases: [
    {
      name: "creates an issue",
      input: { projectKey: "ACME", issueType: "Task", summary: "It is broken" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/rest/api/3/issue",
            headers,
            json: { fields: { project: { key: "ACME" }, issuetype: { name: "Task" }, summary: "It is broken" } },
          },
          answer: {
            status: 201,
            json: { id: "10000", key: "ACME-24", self: "https://acme.atlassian.net/rest/api/3/issue/10000" },
          },
        },
      ],
      items: [{ key: "ACME-24", id: "10000", url: "https://acme.atlassian.net/browse/ACME-24" }],
    },
    {
      name: "sends everything that is given, what has its own parameter before the further fields",
      input: {
        projectKey: "ACME",
        issueType: "Bug",
        summary: 'ü "x" <>',
        description: "Why?",
        labels: ["a"],
        assigneeAccountId: "5b10",
        fields: { summary: "other", priority: { name: "High" }, customfield_1: [1] },
      },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/rest/api/3/issue",
            json: {
              fields: {
                project: { key: "ACME" },
                issuetype: { name: "Bug" },
                summary: 'ü "x" <>',
                description: document("Why?"),
                labels: ["a"],
                assignee: { id: "5b10" },
                priority: { name: "High" },
                customfield_1: [1],
              },
            },
          },
          answer: { status: 201, json: { id: "10001" } },
        },
      ],
      items: [{ id: "10001" }],
    },
  ],
});

describeHttpTool(addComment, {
  credential,
  failure: {
    answer: { status: 401, json: { code: 401, message: "Unauthorized; scope does not match" } },
    says: /^Jira Cloud refused the call \(401\): Unauthorized; scope does not match\. A scope that the credential does not have is needed\.$/,
  },
  cases: [
    {
      name: "adds a comment",
      input: { issueKey: "ACME-1", text: "Done." },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/rest/api/3/issue/ACME-1/comment",
            headers,
            json: { body: document("Done.") },
          },
          answer: { status: 201, json: { id: "77", created: "2026-01-01T00:00:00.000+0000" } },
        },
      ],
      items: [
        {
          id: "77",
          created: "2026-01-01T00:00:00.000+0000",
          url: "https://acme.atlassian.net/browse/ACME-1?focusedCommentId=77",
        },
      ],
    },
    {
      name: "keeps a strange key in its place",
      input: { issueKey: "../A?b#c", text: "ü" },
      exchanges: [
        {
          request: { method: "POST", path: "/rest/api/3/issue/../A?b#c/comment", json: { body: document("ü") } },
          answer: { status: 201, json: { id: "78" } },
        },
      ],
      items: [{ id: "78", url: "https://acme.atlassian.net/browse/..%2FA%3Fb%23c?focusedCommentId=78" }],
    },
  ],
});

it.each([
  ["/summary", { summary: "x".repeat(256) }],
  ["/labels/1", { labels: ["fine", "not fine"] }],
  ["/labels/0", { labels: [""] }],
])("refuses an issue with a wrong %s", async (pointer, input) => {
  const outcome = callTool(createIssue, {
    input: { projectKey: "ACME", issueType: "Task", summary: "s", ...input },
    credential,
  });
  await expect(outcome).rejects.toMatchObject({ code: "validation_failed", errors: [{ pointer }] });
});

it("says in its schema that a label has no spaces, and says it to whoever gives one with them", async () => {
  const { properties } = toJsonSchema(createIssue.input, "input");
  expect(properties).toMatchObject({ labels: { items: { pattern: "^\\S+$" } } });
  const input = { projectKey: "ACME", issueType: "Task", summary: "s", labels: ["not fine"] };
  await expect(callTool(createIssue, { input, credential })).rejects.toThrow("must not be empty or have spaces");
});

it("turns text into paragraphs with line breaks and no empty text", () => {
  const text = (words: string) => ({ type: "text", text: words });
  expect(toDocument("a\r\nb\n\n \n\nc\n")).toEqual({
    type: "doc",
    version: 1,
    content: [
      { type: "paragraph", content: [text("a"), { type: "hardBreak" }, text("b")] },
      { type: "paragraph", content: [text("c")] },
    ],
  });
  expect(toDocument(" \n\n")).toEqual({ type: "doc", version: 1, content: [] });
});

describe("the Jira credential", () => {
  const baseUrl = jiraCredential.baseUrl as (data: CredentialData) => string;
  const oauth2 = { kind: "oauth2", accessToken: "token" };
  const complete = jiraCredential.variants.find(({ kind }) => kind === "oauth2")?.oauth2?.complete;
  const sites = [
    { id: "c0", url: "https://wiki.atlassian.net", scopes: ["read:confluence-content.all"] },
    { id: "c1", url: "https://acme.atlassian.net", scopes: ["read:jira-work"] },
    { id: "c2", url: "https://other.atlassian.net", scopes: ["write:jira-work", "read:jira-work"] },
  ];
  const connect = async (data: CredentialData, json: unknown) => {
    let completed: unknown;
    const requests = await useCredential(jiraCredential, data, [{ json }], async (call) => {
      completed = await complete?.(call);
    });
    return { completed, requests };
  };

  it("is checked with e-mail and token", async () => {
    expect(await useCredential(jiraCredential, credential, [{ json: {} }])).toMatchObject([
      { method: "GET", path: "/rest/api/3/myself", headers },
    ]);
  });

  it("goes to the gateway with a token that has scopes, which works nowhere else", () => {
    const scoped = { kind: "basic", site: "acme", email: "ann@example.com", apiToken: "ATATT-scoped" };
    const { fields } = jiraCredential.variants.find(({ kind }) => kind === "basic") ?? {};
    expect(fields?.safeParse({ site: "acme", email: "a@b.example", apiToken: "t", cloudId: "c1" }).success).toBe(true);
    expect(baseUrl({ ...scoped, cloudId: "c1" })).toBe("https://api.atlassian.com/ex/jira/c1");
    expect(baseUrl(scoped)).toBe("https://acme.atlassian.net");
  });

  it("is checked with an OAuth token", async () => {
    const requests = await useCredential(jiraCredential, { ...oauth2, cloudId: "c1" }, [{ json: {} }]);
    expect(requests).toMatchObject([
      { path: "/rest/api/3/project/search?maxResults=1", headers: { authorization: "Bearer token" } },
    ]);
  });

  it.each(["acme", " acme ", "acme.atlassian.net", "https://acme.atlassian.net/jira/x", "HTTP://acme.atlassian.net"])(
    "finds the site %j",
    (site) => {
      expect(baseUrl({ ...credential, site })).toBe("https://acme.atlassian.net");
    },
  );

  it("refuses what is no site", () => {
    expect(() => siteAddress("my company")).toThrow(expect.objectContaining({ code: "validation_failed" }));
  });

  it("goes through the gateway with an OAuth token", () => {
    expect(baseUrl({ ...oauth2, site: "https://acme.atlassian.net", cloudId: "c/1" })).toBe(
      "https://api.atlassian.com/ex/jira/c%2F1",
    );
    expect(baseUrl({ ...oauth2, site: "acme" })).toBe("https://api.atlassian.com");
  });

  it("finds its site when it is connected", async () => {
    const { completed, requests } = await connect(oauth2, sites);
    expect(requests).toMatchObject([
      { method: "GET", path: "/oauth/token/accessible-resources", headers: { authorization: "Bearer token" } },
    ]);
    expect(completed).toEqual({ cloudId: "c1", site: "https://acme.atlassian.net" });
  });

  it("takes the site that was asked for", async () => {
    expect((await connect({ ...oauth2, site: "other" }, sites)).completed).toEqual({
      cloudId: "c2",
      site: "https://other.atlassian.net",
    });
  });

  it.each([[], {}, sites.slice(0, 1)])("cannot be connected without a Jira site: %j", async (...answer) => {
    await expect(connect(oauth2, answer[0])).rejects.toMatchObject({ code: "provider_error" });
  });
});
