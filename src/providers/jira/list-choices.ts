import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { path } from "../../contract/http.ts";
import { listAt, textAt } from "../../contract/read.ts";

const listSize = 100;

/** Projects by a part of their name or key. */
export async function listProjects({ http, search }: ChoicesCall): Promise<Choice[]> {
  const query = { query: search.trim() || undefined, maxResults: listSize, orderBy: "name" };
  const answer = await http.json({ path: "/rest/api/3/project/search", query });
  return toChoices(listAt(answer, "values"), (project) => ({
    value: textAt(project, "key"),
    title: textAt(project, "name"),
  }));
}

/** What can be created in a project. Tools name types by their names. */
export async function listIssueTypes({ http, given: { projectKey = "" } }: ChoicesCall): Promise<Choice[]> {
  const place = path`/rest/api/3/issue/createmeta/${projectKey}/issuetypes`;
  const answer = await http.json({ path: place, query: { maxResults: listSize } });
  return toChoices(listAt(answer, "issueTypes"), (type) => ({ value: textAt(type, "name") }));
}

/** Who issues of a project can be assigned to. */
export async function listAssignees({ http, search, given: { projectKey } }: ChoicesCall): Promise<Choice[]> {
  const query = { project: projectKey, query: search.trim() || undefined, maxResults: listSize };
  const people = await http.json({ path: "/rest/api/3/user/assignable/search", query });
  return toChoices(listAt(people), (person) => ({
    value: textAt(person, "accountId"),
    title: textAt(person, "displayName"),
  }));
}
