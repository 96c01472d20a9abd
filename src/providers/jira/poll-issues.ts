import { z } from "zod";
import type { CredentialCall } from "../../contract/credential.ts";
import { definePoll } from "../../contract/poll.ts";
import { listByTime, type TimedPage } from "../../contract/poll-by-time.ts";
import { at, known, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { readIssue, searchIssues, toPlainText } from "./client.ts";

export const newIssue = definePoll({
  id: "new_issue",
  title: "New issue",
  description:
    "Starts for each issue that is created in Jira, seconds to minutes after it: Jira's search finds new issues late. An issue counts when it is made: one that comes to match the JQL later starts nothing, nor does an imported one with an old date.",
  // Jira publishes no number of requests; it counts what they cost, for the whole site.
  everySeconds: { least: 30, usual: 120 },
  parameters: z.strictObject({
    project: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Only issues of this project: its key, e.g. ENG, or the address of the project or of one of its issues.",
      )
      .meta({ choices: "projects" }),
    jql: z
      .string()
      .min(1)
      .max(10_000)
      .optional()
      .meta({ title: "JQL" })
      .describe('Only issues this holds for, e.g. issuetype = Bug AND labels = "urgent"; without ORDER BY.'),
  }),
  async list(call, { parameters, mark, now }) {
    const restrictions = restrict(parameters);
    return await listByTime(
      { mark, now },
      { overlapMs, readPage: (since, cursor) => readPage(call, { restrictions, since, cursor, now }) },
    );
  },
  promptOf: (payload) => known([textAt(payload, "summary"), textAt(payload, "description")]).join("\n\n") || undefined,
  senderOf: (payload) => ({
    id: textAt(payload, "fields", "reporter", "accountId"),
    name: textAt(payload, "fields", "reporter", "displayName"),
  }),
  // Ids are numbers, which comments have as well.
  isNamed: (name, { payload }) => name === textAt(payload, "key"),
});

// The search is late by seconds to minutes, more while much is changed at once, and its times have minutes only.
const overlapMs = 30 * 60_000;
const minuteMs = 60_000;
const pageSize = 100;
const fields = [
  ...["summary", "status", "assignee", "priority", "updated"],
  ...["created", "reporter", "issuetype", "project", "labels", "description"],
];

type Wanted = { restrictions: string[]; since: Date | null; cursor: string | undefined; now: Date };

async function readPage(
  { http, credential }: CredentialCall,
  { restrictions, since, cursor, now }: Wanted,
): Promise<TimedPage> {
  // A date in JQL is one in the time zone of whoever asks; so many minutes ago is the same everywhere. All pages of a search need the same words.
  const [, kept, token] = /^(\d+) (.*)$/s.exec(cursor ?? "") ?? [];
  const minutes =
    kept ?? (since === null ? "" : String(Math.max(1, Math.ceil((now.getTime() - since.getTime()) / minuteMs) + 1)));
  // Jira refuses a search without any restriction.
  const time = since === null ? 'created >= "1970-01-02"' : `created >= "-${minutes}m"`;
  const jql = `${[...restrictions, time].join(" AND ")} ORDER BY created ${since === null ? "DESC" : "ASC"}`;
  const nextPageToken = since === null ? cursor : token;
  const page = await searchIssues(http, { jql, fields, maxResults: pageSize, nextPageToken });
  const site = typeof credential.site === "string" ? credential.site : undefined;
  const items = page.items.flatMap((found) => {
    const issue = readIssue(found, site);
    if (issue.id === undefined) return [];
    const description = toPlainText(at(issue.fields, "description")).trim();
    return [{ id: issue.id, payload: { ...issue, description }, createdAt: textAt(issue.fields, "created") }];
  });
  return { items, next: page.next === undefined ? undefined : since === null ? page.next : `${minutes} ${page.next}` };
}

function restrict({ project, jql }: { project?: string | undefined; jql?: string | undefined }): string[] {
  if (jql !== undefined && /\border\s+by\b/i.test(jql.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "")))
    throw refuseInput("/jql", "must have no ORDER BY: new issues come in the order they were made");
  return known([project && `project = "${readProjectKey(project)}"`, jql && `(${jql})`]);
}

/** A key such as ENG, also from the address of a project, a board or an issue. */
function readProjectKey(text: string): string {
  const key =
    /^https?:\/\/[^/]+\/(?:.*\/)?(?:projects|browse)\/([A-Za-z][A-Za-z0-9_]*)/.exec(text.trim())?.[1] ?? text.trim();
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(key))
    throw refuseInput("/project", "must be the key of a project, such as ENG, or its address");
  return key.toUpperCase();
}
