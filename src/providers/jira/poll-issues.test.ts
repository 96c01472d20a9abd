import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asked, lookAt } from "../../../test/support/browser/look-at.ts";
import { type FakeProvider, startFakeProvider } from "../../../test/support/providers/fake-provider.ts";
import { toDocument, toPlainText } from "./client.ts";
import { jiraCredential } from "./credential.ts";
import { newIssue } from "./poll-issues.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const issue = (number: number, created: string) => ({
  id: String(10_000 + number),
  key: `ENG-${number}`,
  fields: {
    summary: `Issue ${number}`,
    status: { name: "To Do" },
    created,
    reporter: { accountId: "5b10", displayName: "Ann" },
    description: toDocument("It fails.\n\nAlways."),
  },
});
const answer = (issues: unknown[], nextPageToken?: string) => ({
  json: nextPageToken === undefined ? { issues, isLast: true } : { issues, nextPageToken, isLast: false },
});

describe("new issues of Jira", () => {
  let provider: FakeProvider;
  beforeAll(async () => {
    provider = await startFakeProvider();
  });
  afterAll(() => provider.stop());

  const look = async (parameters: Record<string, unknown>, mark: string | null, at = now) =>
    await lookAt(newIssue, jiraCredential, {
      credential: {
        kind: "basic",
        site: "acme",
        email: "ann@example.com",
        apiToken: "jira-secret",
        baseUrl: provider.url,
      },
      parameters,
      mark,
      now: at,
    });
  const searches = () =>
    asked(provider).map(({ json }) => {
      const { jql, nextPageToken } = json as { jql: string; nextPageToken?: string };
      return nextPageToken === undefined ? jql : [jql, nextPageToken];
    });

  it("lists the newest at first, with what a run needs of them", async () => {
    provider.script([
      answer([issue(2, "2026-03-01T12:30:00.000+0100"), issue(1, "2026-03-01T09:00:00.000+0100")], "older"),
    ]);
    const { items, hasMore } = await look({ project: "ENG" }, null);
    expect([items.map(({ id }) => id), hasMore]).toEqual([["10001", "10002"], false]);
    expect(items[0]?.payload).toMatchObject({
      key: "ENG-1",
      summary: "Issue 1",
      status: "To Do",
      url: "https://acme.atlassian.net/browse/ENG-1",
      description: "It fails.\nAlways.",
      fields: { created: "2026-03-01T09:00:00.000+0100" },
    });
    expect(newIssue.promptOf(items[0]?.payload)).toBe("Issue 1\n\nIt fails.\nAlways.");
    expect(newIssue.senderOf?.(items[0]?.payload)).toEqual({ id: "5b10", name: "Ann" });
    expect(searches()).toEqual(['project = "ENG" AND created >= "1970-01-02" ORDER BY created DESC']);
  });

  it("asks for so many minutes ago, which is the same in every time zone, and in the same words for each page", async () => {
    provider.script([
      answer([issue(1, "2026-03-01T12:30:00.000+0100")]),
      answer([issue(2, "2026-03-01T12:50:00.000+0100")], "t2"),
      answer([issue(3, "2026-03-01T12:51:00.000+0100")]),
      answer([]),
    ]);
    const parameters = { project: "ENG", jql: 'labels = "order by" OR issuetype = Bug' };
    const first = await look(parameters, null);
    const second = await look(parameters, first.mark);
    const third = await look(parameters, second.mark, new Date(now.getTime() + 180_000));
    await look(parameters, third.mark);
    expect([second.hasMore, third.hasMore]).toEqual([true, false]);
    const words = (minutes: number) =>
      `project = "ENG" AND (labels = "order by" OR issuetype = Bug) AND created >= "-${minutes}m" ORDER BY created ASC`;
    expect(searches().slice(1)).toEqual([words(61), [words(61), "t2"], words(40)]);
  });

  it.each([
    "https://acme.atlassian.net/jira/software/projects/ENG/boards/1",
    "https://acme.atlassian.net/jira/software/c/projects/ENG/issues",
    "https://acme.atlassian.net/browse/ENG-12",
    "https://acme.atlassian.net/projects/eng",
    " eng ",
  ])("finds the project of %s", async (project) => {
    provider.script([answer([])]);
    await look({ project }, null);
    expect(searches()).toEqual(['project = "ENG" AND created >= "1970-01-02" ORDER BY created DESC']);
  });

  it("refuses what is no project, and an order", async () => {
    await expect(look({ project: 'x" OR 1 = 1' }, null)).rejects.toMatchObject({ errors: [{ pointer: "/project" }] });
    await expect(look({ jql: "status = Open ORDER  BY key" }, null)).rejects.toMatchObject({
      errors: [{ pointer: "/jql" }],
    });
    provider.script([{ status: 400, json: { errorMessages: ["The JQL is wrong."] } }]);
    await expect(look({ jql: "nonsense" }, null)).rejects.toThrow("The JQL is wrong.");
  });

  it("reads the words of a document", () => {
    const list = {
      type: "bulletList",
      content: [{ type: "listItem", content: [{ type: "paragraph", content: [{ type: "text", text: "b" }] }] }],
    };
    expect(
      toPlainText({ type: "doc", content: [{ type: "heading", content: [{ type: "text", text: "a" }] }, list] }),
    ).toBe("a\nb\n");
    expect(toPlainText(undefined)).toBe("");
  });
});
