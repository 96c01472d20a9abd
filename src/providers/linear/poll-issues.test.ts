import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asked, lookAt } from "../../../test/support/browser/look-at.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { linearCredential } from "./credential.ts";
import { newIssue } from "./poll-issues.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const node = (number: number, createdAt: string) => ({
  id: `i${number}`,
  identifier: `ENG-${number}`,
  title: `Issue ${number}`,
  state: { name: "Todo" },
  assignee: null,
  priority: 2,
  url: "https://linear.app/x",
  updatedAt: createdAt,
  description: "It **fails**.",
  createdAt,
  creator: { id: "u1", displayName: "ann" },
  team: { key: "ENG" },
});
const answer = (nodes: unknown[], endCursor?: string) => ({
  json: {
    data: { issues: { nodes, pageInfo: { hasNextPage: endCursor !== undefined, endCursor: endCursor ?? null } } },
  },
});

describe("new issues of Linear", () => {
  let provider: FakeProvider;
  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  const look = async (parameters: Record<string, unknown>, mark: string | null) =>
    await lookAt(newIssue, linearCredential, {
      credential: { kind: "apiKey", apiKey: "lin_api_secret", baseUrl: provider.url },
      parameters,
      mark,
      now,
    });
  const variables = () => asked(provider).map(({ json }) => (json as { variables: unknown }).variables);

  it("lists the newest at first, then those since shortly before, page after page", async () => {
    provider.script([answer([node(2, "2026-03-01T11:00:00.000Z"), node(1, "2026-03-01T10:00:00.000Z")], "older")]);
    const first = await look({ team: "ENG" }, null);
    expect(first).toMatchObject({ items: [{ id: "i1" }, { id: "i2" }], hasMore: false });
    expect(first.items[1]?.payload).toEqual({
      id: "i2",
      identifier: "ENG-2",
      title: "Issue 2",
      state: "Todo",
      priority: 2,
      url: "https://linear.app/x",
      updatedAt: "2026-03-01T11:00:00.000Z",
      description: "It **fails**.",
      createdAt: "2026-03-01T11:00:00.000Z",
      creator: "ann",
      creatorId: "u1",
      team: "ENG",
    });
    expect(newIssue.promptOf(first.items[1]?.payload)).toBe("Issue 2\n\nIt **fails**.");
    expect(newIssue.senderOf?.(first.items[1]?.payload)).toEqual({ id: "u1", name: "ann" });
    expect(variables()).toEqual([{ filter: { team: { key: { eq: "ENG" } } }, first: 50 }]);

    provider.script([
      answer([node(4, "2026-03-01T11:59:00.000Z")], "c4"),
      answer([node(3, "2026-03-01T11:58:00.000Z")]),
      answer([]),
    ]);
    const second = await look({}, first.mark);
    const third = await look({}, second.mark);
    await look({}, third.mark);
    expect([second.hasMore, third.hasMore]).toEqual([true, false]);
    const since = { createdAt: { gte: "2026-03-01T10:50:00.000Z" } };
    expect(variables()).toEqual([
      { filter: since, first: 50 },
      { filter: since, first: 50, after: "c4" },
      { filter: { createdAt: { gte: "2026-03-01T11:49:00.000Z" } }, first: 50 },
    ]);
  });

  it.each([
    ["eng", { key: { eq: "ENG" } }],
    ["https://linear.app/acme/team/OPS/active", { key: { eq: "OPS" } }],
    ["9cfb482a-81e3-4154-b5b9-2c805e70a02d", { id: { eq: "9cfb482a-81e3-4154-b5b9-2c805e70a02d" } }],
  ])("finds the team %s", async (team, filter) => {
    provider.script([answer([])]);
    await look({ team }, null);
    expect(variables()).toEqual([{ filter: { team: filter }, first: 50 }]);
  });

  it("refuses what is no team, and passes on what Linear refuses", async () => {
    await expect(look({ team: "https://linear.app/acme" }, null)).rejects.toMatchObject({
      errors: [{ pointer: "/team" }],
    });
    provider.script([{ json: { errors: [{ message: "Entity not found", extensions: { code: "INVALID_INPUT" } }] } }]);
    await expect(look({ team: "NONE" }, null)).rejects.toThrow(
      /Linear refused the call \(INVALID_INPUT\): Entity not found/,
    );
  });
});
