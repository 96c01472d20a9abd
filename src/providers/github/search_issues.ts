import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { defineAction } from "../../contract/action.ts";
import type { Http } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { at, integerAt, listAt, textAt } from "../../contract/read.ts";
import { githubCredential } from "./credential.ts";

const pageSize = 100;

export const action = defineAction({
  id: "github_search_issues",
  title: "Search issues",
  description: "Search issues and pull requests with GitHub search syntax.",
  guide: "Add repo:owner/name to stay in one repository, and is:issue or is:pull-request to get one kind.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: githubCredential,
  input: z.strictObject({
    query: z
      .string()
      .min(1)
      .describe(
        "Search query, e.g. repo:octocat/hello-world is:open label:bug. Add is:issue or is:pull-request for one kind only.",
      ),
    sort: z.enum(["created", "updated", "comments"]).optional().describe("What to sort by; best match when absent."),
    order: z.enum(["asc", "desc"]).optional().describe("Direction of the sorting."),
    limit: z.int().min(1).max(100).default(20).describe("Most items to return (1-100)."),
  }),
  output: z.object({
    number: z.int().optional().describe("Issue or pull request number."),
    title: z.string().optional().describe("Title."),
    state: z.string().optional().describe("Either open or closed."),
    isPullRequest: z.boolean().describe("Whether it is a pull request."),
    repository: z.string().optional().describe("Repository as owner/name."),
    author: z.string().optional().describe("Login of who opened it."),
    labels: z.array(z.string()).describe("Names of its labels."),
    url: z.string().optional().describe("Web address."),
    updatedAt: z.string().optional().describe("Time of the last change, ISO 8601."),
  }),
  async run({ input: { query, sort, order, limit }, http }) {
    const search = (q: string) => searchPages(http, { q, sort, order }, limit);
    const issues = await search(query).catch(async (error: unknown) => {
      if (!wantsOneKind(error)) throw error;
      const both = [await search(`${query} is:issue`), await search(`${query} is:pull-request`)];
      return merge(both, sort, order).slice(0, limit);
    });
    return issues.map((issue) => ({
      number: integerAt(issue, "number"),
      title: textAt(issue, "title"),
      state: textAt(issue, "state"),
      isPullRequest: at(issue, "pull_request") !== undefined,
      repository: textAt(issue, "repository_url")?.split("/repos/").at(-1),
      author: textAt(issue, "user", "login"),
      labels: listAt(issue, "labels").flatMap(
        (label) => textAt(label, "name") ?? (typeof label === "string" ? label : []),
      ),
      url: textAt(issue, "html_url"),
      updatedAt: textAt(issue, "updated_at"),
    }));
  },
});

async function searchPages(
  http: Http,
  search: { q: string; sort: string | undefined; order: string | undefined },
  limit: number,
) {
  const perPage = Math.min(limit, pageSize);
  return await collectPages<unknown, number>(limit, async (page = 1) => {
    const answer = await http.json({ path: "/search/issues", query: { ...search, per_page: perPage, page } });
    const items = listAt(answer, "items");
    return { items, next: items.length < perPage ? undefined : page + 1 };
  });
}

/** Fine-grained tokens and GitHub Apps may not ask for issues and pull requests at once. */
const wantsOneKind = (error: unknown): boolean =>
  error instanceof Refusal &&
  error.provider?.status === 422 &&
  /must include 'is:issue' or 'is:pull-request'/i.test(error.message);

const sortFields = { created: "created_at", updated: "updated_at", comments: "comments" };

/** As GitHub sorts; best matches of both kinds in turn, because how good they are is not said. */
function merge(
  [issues = [], pulls = []]: unknown[][],
  sort: keyof typeof sortFields | undefined,
  order = "desc",
): unknown[] {
  if (sort === undefined)
    return issues
      .flatMap((issue, index) => [issue, ...pulls.slice(index, index + 1)])
      .concat(pulls.slice(issues.length));
  const keyOf = (entry: unknown) => at(entry, sortFields[sort]) as string | number;
  const sorted = [...issues, ...pulls].sort((one, other) =>
    keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : 0,
  );
  return order === "asc" ? sorted : sorted.reverse();
}
