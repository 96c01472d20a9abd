import { Refusal } from "../../base/refusal.ts";
import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { path } from "../../contract/http.ts";
import { collectPages } from "../../contract/pages.ts";
import { listAt, textAt } from "../../contract/read.ts";

const pageSize = 100;

/** Whose repositories an account sees: its own person's, and those of the organizations that person is in. */
export async function listOwners(call: ChoicesCall): Promise<Choice[]> {
  const user = await call.http.json({ path: "/user" });
  const organizations = await readAll(call, "/user/orgs");
  return toChoices([user, ...organizations], (owner) => ({
    value: textAt(owner, "login"),
    title: textAt(owner, "name") ?? textAt(owner, "login"),
  }));
}

export async function listRepositories(call: ChoicesCall): Promise<Choice[]> {
  const { owner = "" } = call.given;
  return toChoices(await readRepositories(call, owner), (repository) => ({
    value: textAt(repository, "name"),
    title: textAt(repository, "full_name"),
  }));
}

/** GitHub has three lists, and only the first has private repositories of a person. */
async function readRepositories(call: ChoicesCall, owner: string): Promise<unknown[]> {
  const sort = { sort: "pushed" };
  const login = textAt(await call.http.json({ path: "/user" }), "login");
  if (login?.toLowerCase() === owner.toLowerCase())
    return await readAll(call, "/user/repos", { ...sort, affiliation: "owner" });
  return await readAll(call, path`/orgs/${owner}/repos`, sort).catch((error: unknown) => {
    if (error instanceof Refusal && error.provider?.status === 404)
      return readAll(call, path`/users/${owner}/repos`, sort);
    throw error;
  });
}

type ListOfRepository = "branches" | "labels" | "assignees";

export const listOf =
  (list: ListOfRepository, field: "name" | "login") =>
  async (call: ChoicesCall): Promise<Choice[]> => {
    const { owner = "", repo = "" } = call.given;
    const entries = await readAll(call, path`/repos/${owner}/${repo}/${list}`);
    return toChoices(entries, (entry) => ({ value: textAt(entry, field) }));
  };

const readAll = async (
  { http, most }: ChoicesCall,
  place: string,
  query: Record<string, string> = {},
): Promise<unknown[]> =>
  await collectPages<unknown, number>(most, async (page = 1) => {
    const items = listAt(await http.json({ path: place, query: { ...query, per_page: pageSize, page } }));
    return { items, next: items.length < pageSize ? undefined : page + 1 };
  });
