import { z } from "zod";
import type { CredentialCall } from "../../contract/credential.ts";
import { definePoll } from "../../contract/poll.ts";
import { listByTime, type TimedPage } from "../../contract/poll-by-time.ts";
import { at, known, listAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { issueFields, nextCursor, queryLinear, readIssue } from "./client.ts";

export const newIssue = definePoll({
  id: "new_issue",
  title: "New issue",
  description:
    "Starts for each issue that is created in Linear, in one team or in all that the account sees. Imported issues keep their old dates and start nothing.",
  // Linear asks people not to look often: an API key has some thousand requests an hour, for everything it does.
  everySeconds: { least: 30, usual: 120 },
  parameters: z.strictObject({
    team: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Only issues of this team: its key, e.g. ENG, its id (UUID), or its address, e.g. https://linear.app/acme/team/ENG/all.",
      )
      .meta({ choices: "teams" }),
  }),
  async list(call, { parameters, mark, now }) {
    const team = readTeam(parameters.team);
    return await listByTime(
      { mark, now },
      { overlapMs, readPage: (since, cursor) => readPage(call, { team, since, cursor }) },
    );
  },
  promptOf: (payload) => known([textAt(payload, "title"), textAt(payload, "description")]).join("\n\n") || undefined,
  senderOf: (payload) => ({ id: textAt(payload, "creatorId"), name: textAt(payload, "creator") }),
});

// Nothing says that Linear lists issues late; this is for clocks that differ.
const overlapMs = 10 * 60_000;
const pageSize = 50;

const query = `query ($filter: IssueFilter, $first: Int, $after: String) {
  issues(filter: $filter, orderBy: createdAt, first: $first, after: $after) {
    nodes { ${issueFields} description createdAt creator { id displayName } team { key } }
    pageInfo { hasNextPage endCursor }
  }
}`;

type Wanted = { team: object | undefined; since: Date | null; cursor: string | undefined };

async function readPage({ http }: CredentialCall, { team, since, cursor }: Wanted): Promise<TimedPage> {
  const filter = { ...(team ? { team } : {}), ...(since ? { createdAt: { gte: since.toISOString() } } : {}) };
  const data = await queryLinear(
    http,
    { query, variables: { filter, first: pageSize, after: cursor } },
    { repeatable: true },
  );
  const found = at(data, "issues");
  const items = listAt(found, "nodes").flatMap((node) => {
    const issue = readIssue(node);
    if (issue.id === undefined) return [];
    const createdAt = textAt(node, "createdAt");
    const creator = { creator: textAt(node, "creator", "displayName"), creatorId: textAt(node, "creator", "id") };
    const payload = {
      ...issue,
      description: textAt(node, "description"),
      createdAt,
      ...creator,
      team: textAt(node, "team", "key"),
    };
    return [{ id: issue.id, payload, createdAt }];
  });
  return { items, next: nextCursor(found) };
}

/** What the filter says of a team. */
function readTeam(team: string | undefined): object | undefined {
  if (team === undefined) return undefined;
  const text = team.trim();
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return { id: { eq: text } };
  const key = /^https:\/\/linear\.app\/[^/]+\/team\/([^/?#]+)/.exec(text)?.[1] ?? text;
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(key))
    throw refuseInput("/team", "must be the key, the id or the address of a team");
  return { key: { eq: key.toUpperCase() } };
}
