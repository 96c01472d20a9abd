import { describe, expect, it } from "vitest";
import { callTool } from "../../../test/support/gateway/call-tool.ts";
import { describeHttpTool } from "../../../test/support/gateway/describe-tool.ts";
import { type Answer, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { useCredential } from "../../../test/support/vault/use-credential.ts";
import { action as createIssue } from "./create_issue.ts";
import { linearCredential } from "./credential.ts";
import { action as searchIssues } from "./search_issues.ts";

const credential = { kind: "apiKey", apiKey: "lin_api_secret" };
const headers = { authorization: "lin_api_secret" };
const errors = [
  {
    message: "Argument Validation Error",
    extensions: { code: "INVALID_INPUT", userPresentableMessage: "teamId must be a UUID." },
  },
];
const teamId = "9cfb482a-81e3-4154-b5b9-2c805e70a02d";
const queryOf = (field: string) => expect.stringContaining(field);

const issue = (number: number) => ({ id: `i${number}`, identifier: `ENG-${number}`, title: `Issue ${number}` });
const page = (numbers: number[], pageInfo: object) => ({
  json: { data: { searchIssues: { nodes: numbers.map(issue), pageInfo } } },
});

describeHttpTool(searchIssues, {
  credential,
  failure: {
    answer: { status: 400, json: { errors } },
    says: /^Linear refused the call \(400 INVALID_INPUT\): teamId must be a UUID\.$/,
  },
  cases: [
    {
      name: "finds issues",
      input: { term: "broken" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/graphql",
            headers,
            json: { query: queryOf("searchIssues"), variables: { term: "broken", first: 20 } },
          },
          answer: {
            json: {
              data: {
                searchIssues: {
                  nodes: [
                    {
                      ...issue(1),
                      state: { name: "Todo" },
                      assignee: { displayName: "ann" },
                      priority: 2,
                      url: "https://linear.app/x",
                      updatedAt: "2026-01-01T00:00:00Z",
                    },
                    { ...issue(2), assignee: null },
                  ],
                  pageInfo: { hasNextPage: false, endCursor: "c" },
                },
              },
            },
          },
        },
      ],
      items: [
        {
          ...issue(1),
          state: "Todo",
          assignee: "ann",
          priority: 2,
          url: "https://linear.app/x",
          updatedAt: "2026-01-01T00:00:00Z",
        },
        issue(2),
      ],
    },
    {
      name: "follows pages until the limit, in a team",
      input: { term: 'ü "x"\n}', teamId, limit: 3 },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/graphql",
            json: { query: queryOf("searchIssues"), variables: { term: 'ü "x"\n}', teamId, first: 3 } },
          },
          answer: page([1, 2], { hasNextPage: true, endCursor: "c2" }),
        },
        {
          request: {
            method: "POST",
            path: "/graphql",
            json: { query: queryOf("searchIssues"), variables: { term: 'ü "x"\n}', teamId, first: 1, after: "c2" } },
          },
          answer: page([3, 4], { hasNextPage: true, endCursor: "c3" }),
        },
      ],
      items: [issue(1), issue(2), issue(3)],
    },
  ],
});

describeHttpTool(createIssue, {
  credential,
  failure: {
    answer: { json: { data: null, errors } },
    says: /^Linear refused the call \(INVALID_INPUT\): teamId must be a UUID\.$/,
  },
  cases: [
    {
      name: "creates an issue",
      input: { teamId, title: "It is broken" },
      exchanges: [
        {
          request: {
            method: "POST",
            path: "/graphql",
            headers,
            json: { query: queryOf("issueCreate"), variables: { input: { teamId, title: "It is broken" } } },
          },
          answer: {
            json: {
              data: {
                issueCreate: { success: true, issue: { id: "i1", identifier: "ENG-1", url: "https://linear.app/x" } },
              },
            },
          },
        },
      ],
      items: [{ id: "i1", identifier: "ENG-1", url: "https://linear.app/x" }],
    },
    {
      name: "sends everything that is given and finds a team by its key",
      input: { teamId: "ENG", title: 'ü "x"', description: "a\nb", priority: 0, assigneeId: "u1", labelIds: ["l1"] },
      exchanges: [
        {
          request: { method: "POST", path: "/graphql", json: { query: queryOf("teams"), variables: { key: "ENG" } } },
          answer: { json: { data: { teams: { nodes: [{ id: teamId }] } } } },
        },
        {
          request: {
            method: "POST",
            path: "/graphql",
            json: {
              query: queryOf("issueCreate"),
              variables: {
                input: { teamId, title: 'ü "x"', description: "a\nb", priority: 0, assigneeId: "u1", labelIds: ["l1"] },
              },
            },
          },
          answer: { json: { data: { issueCreate: { success: true, issue: { id: "i2" } } } } },
        },
      ],
      items: [{ id: "i2" }],
    },
  ],
});

it.each([
  [
    "a key no team has",
    { teamId: "NONE" },
    { teams: { nodes: [] } },
    { code: "validation_failed", errors: [{ pointer: "/teamId" }] },
  ],
  [
    "an issue that was not created",
    { teamId },
    { issueCreate: { success: false, issue: null } },
    { code: "provider_error" },
  ],
])("refuses %s", async (_name, input, data, refusal) => {
  const provider = await startFakeProvider();
  try {
    provider.script([{ json: { data } }]);
    const outcome = callTool(createIssue, {
      input: { ...input, title: "t" },
      credential: { ...credential, baseUrl: provider.url },
    });
    await expect(outcome).rejects.toMatchObject(refusal);
    expect(provider.requests()).toHaveLength(1);
  } finally {
    await provider.stop();
  }
});

it("repeats looking up a team but not creating an issue", async () => {
  const provider = await startFakeProvider();
  try {
    provider.script([{ drop: true }, { json: { data: { teams: { nodes: [{ id: teamId }] } } } }, { drop: true }]);
    const outcome = callTool(createIssue, {
      input: { teamId: "ENG", title: "t" },
      credential: { ...credential, baseUrl: provider.url },
    });
    await expect(outcome).rejects.toMatchObject({ code: "provider_unreachable" });
    expect(provider.requests()).toHaveLength(3);
  } finally {
    await provider.stop();
  }
});

describe("a rate limit of Linear, which is a 400", () => {
  const limited = (headers: Record<string, string>) => ({
    status: 400,
    headers,
    json: {
      errors: [
        { message: "Rate limit exceeded", extensions: { type: "ratelimited", code: "RATELIMITED", statusCode: 429 } },
      ],
    },
  });
  const created = { json: { data: { issueCreate: { success: true, issue: { id: "i1", identifier: "ENG-1" } } } } };

  async function create(answers: Answer[]) {
    const provider = await startFakeProvider();
    const waits: number[] = [];
    try {
      provider.script(answers);
      const call = callTool(createIssue, {
        input: { teamId, title: "t" },
        credential: { ...credential, baseUrl: provider.url },
        waits,
      });
      return { outcome: await call.catch((error: unknown) => error), waits, count: provider.requests().length };
    } finally {
      await provider.stop();
    }
  }

  it("is waited for and repeated, also when it creates", async () => {
    const reset = String(Date.now() + 9_000);
    const limit = limited({
      "x-ratelimit-requests-remaining": "0",
      "x-ratelimit-requests-reset": reset,
      "x-ratelimit-complexity-remaining": "9",
    });
    const { outcome, waits, count } = await create([limit, created]);
    expect(outcome).toMatchObject([{ id: "i1" }]);
    expect(count).toBe(2);
    expect(waits[0]).toBeGreaterThan(7_000);
    expect(waits[0]).toBeLessThan(9_001);
  });

  it("says when to come back where that is long", async () => {
    const reset = String(Date.now() + 1_800_000);
    const { outcome, count } = await create([
      limited({
        "x-ratelimit-requests-remaining": "5",
        "x-ratelimit-complexity-remaining": "0",
        "x-ratelimit-complexity-reset": reset,
      }),
    ]);
    expect(outcome).toMatchObject({
      code: "provider_error",
      message: expect.stringMatching(/400 RATELIMITED.*Try again in 1[78]\d\d s/),
    });
    expect(count).toBe(1);
  });
});

describe("the Linear credential", () => {
  it.each([
    [credential, "lin_api_secret"],
    [{ kind: "oauth2", accessToken: "token" }, "Bearer token"],
  ])("is checked as %j", async (data, authorization) => {
    const [request] = await useCredential(linearCredential, data, [{ json: { data: { viewer: { id: "u1" } } } }]);
    expect(request).toMatchObject({ method: "POST", path: "/graphql", headers: { authorization } });
    expect(JSON.parse(String(request?.body))).toEqual({ query: "{ viewer { id } }" });
  });

  it("does not pass a check that Linear refuses with status 200", async () => {
    const answer = {
      json: { errors: [{ message: "Authentication required", extensions: { code: "AUTHENTICATION_ERROR" } }] },
    };
    await expect(useCredential(linearCredential, credential, [answer])).rejects.toThrow(
      "Linear refused the call (AUTHENTICATION_ERROR): Authentication required",
    );
  });
});
