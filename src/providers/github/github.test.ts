import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { type Answer, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { action as createIssue } from "./create_issue.ts";
import { action as createIssueComment } from "./create_issue_comment.ts";
import { action as getFile } from "./get_file.ts";
import { action as searchIssues } from "./search_issues.ts";
import { githubWebhook } from "./webhook.ts";

const credential = { kind: "bearer", accessToken: "ghp_secret" };
const headers = {
  authorization: "Bearer ghp_secret",
  accept: "application/vnd.github+json",
  "x-github-api-version": "2022-11-28",
};
const failure = {
  answer: {
    status: 422,
    json: { message: "Validation Failed", errors: [{ resource: "Issue", code: "missing_field", field: "title" }] },
  },
  says: /GitHub refused the call \(422 missing_field\): Validation Failed/,
};

describeHttpTool(createIssue, {
  credential,
  failure,
  cases: [
    {
      name: "opens an issue",
      input: { owner: "acme", repo: "site", title: "It is broken" },
      exchanges: [
        {
          request: { method: "POST", path: "/repos/acme/site/issues", headers, json: { title: "It is broken" } },
          answer: {
            status: 201,
            json: {
              number: 7,
              id: 99,
              title: "It is broken",
              state: "open",
              html_url: "https://github.com/acme/site/issues/7",
            },
          },
        },
      ],
      items: [
        { number: 7, id: 99, title: "It is broken", state: "open", url: "https://github.com/acme/site/issues/7" },
      ],
    },
    {
      name: "sends everything that is given and keeps strange names in their place",
      input: { owner: "a/../b", repo: "ü?#", title: "t", body: "**b**", labels: ["bug", "ui"], assignees: ["ann"] },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/repos/a/../b/ü?#/issues",
            json: { title: "t", body: "**b**", labels: ["bug", "ui"], assignees: ["ann"] },
          },
          answer: { status: 201, json: { number: 8 } },
        },
      ],
      items: [{ number: 8 }],
    },
  ],
});

const issue = (number: number) => ({
  number,
  title: `Issue ${number}`,
  repository_url: "https://api.github.com/repos/acme/site",
  labels: [{ name: "bug" }, "ui"],
});
const found = (number: number) => ({
  number,
  title: `Issue ${number}`,
  repository: "acme/site",
  labels: ["bug", "ui"],
  isPullRequest: false,
});

describeHttpTool(searchIssues, {
  credential,
  failure,
  cases: [
    {
      name: "finds issues",
      input: { query: "is:open label:bug" },
      exchanges: [
        {
          request: { method: "GET", path: "/search/issues?q=is:open label:bug&per_page=20&page=1", headers },
          answer: { json: { total_count: 1, items: [{ ...issue(1), pull_request: {}, user: { login: "ann" } }] } },
        },
      ],
      items: [{ ...found(1), isPullRequest: true, author: "ann" }],
    },
    {
      name: "asks for both kinds one after the other where the token may not ask for both at once",
      input: { query: "x", sort: "updated", limit: 2 },
      exchanges: [
        {
          request: { method: "GET", path: "/search/issues?q=x&sort=updated&per_page=2&page=1" },
          answer: {
            status: 422,
            json: {
              message: "Query must include 'is:issue' or 'is:pull-request'",
              documentation_url: "https://docs.github.com/rest/search/search#search-issues-and-pull-requests",
              status: "422",
            },
          },
        },
        {
          request: { method: "GET", path: "/search/issues?q=x is:issue&sort=updated&per_page=2&page=1" },
          answer: { json: { items: [{ ...issue(1), updated_at: "2026-01-01T00:00:00Z" }] } },
        },
        {
          request: { method: "GET", path: "/search/issues?q=x is:pull-request&sort=updated&per_page=2&page=1" },
          answer: {
            json: {
              items: [
                { ...issue(2), pull_request: {}, updated_at: "2026-01-02T00:00:00Z" },
                { ...issue(3), pull_request: {}, updated_at: "2025-01-01T00:00:00Z" },
                { ...issue(4), pull_request: {}, updated_at: "2024-01-01T00:00:00Z" },
              ],
            },
          },
        },
      ],
      items: [
        { ...found(2), isPullRequest: true, updatedAt: "2026-01-02T00:00:00Z" },
        { ...found(1), updatedAt: "2026-01-01T00:00:00Z" },
      ],
    },
    {
      name: "follows pages until the limit",
      input: { query: "x", sort: "created", order: "asc", limit: 2 },
      exchanges: [
        {
          request: { method: "GET", path: "/search/issues?q=x&sort=created&order=asc&per_page=2&page=1" },
          answer: { json: { items: [issue(1), issue(2), issue(3)] } },
        },
      ],
      items: [found(1), found(2)],
    },
  ],
});

describeHttpTool(createIssueComment, {
  credential,
  failure,
  cases: [
    {
      name: "adds a comment",
      input: { owner: "acme", repo: "site", issueNumber: 7, body: "Done." },
      exchanges: [
        {
          request: { method: "POST", path: "/repos/acme/site/issues/7/comments", headers, json: { body: "Done." } },
          answer: {
            status: 201,
            json: { id: 5, html_url: "https://github.com/x", created_at: "2026-01-01T00:00:00Z" },
          },
        },
      ],
      items: [{ id: 5, url: "https://github.com/x", createdAt: "2026-01-01T00:00:00Z" }],
    },
  ],
});

describeHttpTool(getFile, {
  credential,
  failure: {
    answer: { status: 404, json: { message: "Not Found", status: "404" } },
    says: /^GitHub refused the call \(404\): Not Found\.$/,
  },
  cases: [
    {
      name: "reads a text file, keeping the slashes of its path",
      input: { owner: "acme", repo: "site", path: "docs/read me.md" },
      exchanges: [
        {
          request: { method: "GET", path: "/repos/acme/site/contents/docs/read me.md", headers },
          answer: {
            json: {
              type: "file",
              path: "docs/read me.md",
              sha: "abc",
              size: 5,
              encoding: "base64",
              content: "aGVs\nbG8=\n",
              html_url: "https://github.com/f",
            },
          },
        },
      ],
      items: [
        {
          type: "file",
          path: "docs/read me.md",
          sha: "abc",
          size: 5,
          encoding: "utf-8",
          content: "hello",
          url: "https://github.com/f",
        },
      ],
    },
    {
      name: "lists a folder of another branch and leaves out content that is not there",
      input: { owner: "acme", repo: "site", path: "/", ref: "next" },
      exchanges: [
        {
          request: { method: "GET", path: "/repos/acme/site/contents/?ref=next" },
          answer: {
            json: [
              { type: "dir", path: "a" },
              { type: "file", path: "big", size: 2_000_000, encoding: "none", content: "" },
            ],
          },
        },
      ],
      items: [
        { type: "dir", path: "a" },
        { type: "file", path: "big", size: 2_000_000, note: "GitHub sends no content of files larger than 1 MB." },
      ],
    },
    {
      name: "keeps bytes that are not text as base64",
      input: { owner: "acme", repo: "site", path: "logo.png" },
      exchanges: [
        {
          request: { method: "GET", path: "/repos/acme/site/contents/logo.png" },
          answer: { json: { encoding: "base64", content: "iVD/" } },
        },
      ],
      items: [{ encoding: "base64", content: "iVD/" }],
    },
  ],
});

describe("too many requests, which GitHub may also answer with 403", () => {
  const message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
  const made = { status: 201, json: { id: 1, number: 2, html_url: "https://github.com/a/b/issues/2" } };

  async function create(answers: Answer[]) {
    const provider = await startFakeProvider();
    const waits: number[] = [];
    provider.script(answers);
    const data = { ...credential, baseUrl: provider.url };
    const outcome = await callTool(createIssue, {
      input: { owner: "a", repo: "b", title: "t" },
      credential: data,
      waits,
    }).catch((error: unknown) => error);
    await provider.stop();
    return { outcome, waits };
  }

  it.each(["retry-after", "x-ratelimit-reset"])("waits as %s says, because nothing was made", async (header) => {
    const reset = String(Math.ceil(Date.now() / 1000) + 7);
    const headers = { [header]: header === "retry-after" ? "7" : reset, "x-ratelimit-remaining": "0" };
    const { outcome, waits } = await create([{ status: 403, headers, json: { message } }, made]);
    expect(outcome).toMatchObject([{ number: 2 }]);
    expect(waits[0]).toBeGreaterThan(1000);
  });

  it("asks for a minute where GitHub says no time, and calls nothing forbidden", async () => {
    const { outcome } = await create([{ status: 403, json: { message } }]);
    expect(outcome).toMatchObject({ provider: { status: 403, retryAfterMs: 60_000 } });
    expect(outcome).not.toMatchObject({ provider: { lacksPermission: true } });
  });
});

it("believes only what GitHub signed", () => {
  const request = (signature: string) => ({
    method: "POST",
    url: "https://switchyard.example/webhooks/x",
    query: {},
    headers: { "x-hub-signature-256": signature, "x-github-event": "push", "x-github-delivery": "d1" },
    body: Buffer.from("Hello, World!"),
  });
  const options = { secret: "It's a Secret to Everybody", now: new Date() };
  const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  expect(githubWebhook.verify(request(signature), options)).toEqual({
    accepted: true,
    event: "push",
    deliveryId: "d1",
  });
  expect(githubWebhook.verify(request(signature.replace("7", "8")), options)).toMatchObject({ accepted: false });
  expect(githubWebhook.verify(request(""), options)).toMatchObject({ accepted: false });
});
