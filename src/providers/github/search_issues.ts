import { z } from "zod";
import { collectPages } from "../../contract/pages.ts";
import { at, integerAt, listAt, textAt } from "../../contract/read.ts";
import { defineTool } from "../../contract/tool.ts";
import { githubCredential } from "./credential.ts";

const pageSize = 100;

export const tool = defineTool({
  id: "github_search_issues",
  title: "Search issues",
  description: "Search issues and pull requests with GitHub search syntax.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  credential: githubCredential,
  input: z.strictObject({
    query: z.string().min(1).describe("Search query."),
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
    const perPage = Math.min(limit, pageSize);
    const issues = await collectPages<unknown, number>(limit, async (page = 1) => {
      const answer = await http.json({ path: "/search/issues", query: { q: query, sort, order, per_page: perPage, page } });
      const items = listAt(answer, "items");
      return { items, next: items.length < perPage ? undefined : page + 1 };
    });
    return issues.map((issue) => ({
      number: integerAt(issue, "number"),
      title: textAt(issue, "title"),
      state: textAt(issue, "state"),
      isPullRequest: at(issue, "pull_request") !== undefined,
      repository: textAt(issue, "repository_url")?.split("/repos/").at(-1),
      author: textAt(issue, "user", "login"),
      labels: listAt(issue, "labels").flatMap((label) => textAt(label, "name") ?? (typeof label === "string" ? label : [])),
      url: textAt(issue, "html_url"),
      updatedAt: textAt(issue, "updated_at"),
    }));
  },
});
