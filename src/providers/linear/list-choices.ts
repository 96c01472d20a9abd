import { toChoices } from "../../contract/choices.ts";
import type { Choice, ChoicesCall } from "../../contract/credential.ts";
import { collectPages } from "../../contract/pages.ts";
import { known, listAt, recordAt, textAt } from "../../contract/read.ts";
import { nextCursor, queryLinear } from "./client.ts";

const pageSize = 250;

export const listTeams = async (call: ChoicesCall): Promise<Choice[]> =>
  toChoices(await readAll(call, "teams", "id key name"), (team) => ({
    value: textAt(team, "id"),
    title: known([textAt(team, "key"), textAt(team, "name")]).join(" · "),
  }));

export const listPeople = async (call: ChoicesCall): Promise<Choice[]> =>
  toChoices(await readAll(call, "users", "id displayName"), (person) => ({
    value: textAt(person, "id"),
    title: textAt(person, "displayName"),
  }));

/** Those of teams, and of the workspace, which belong to none. */
export const listLabels = async (call: ChoicesCall): Promise<Choice[]> =>
  toChoices(await readAll(call, "issueLabels", "id name team { key }"), (label) => ({
    value: textAt(label, "id"),
    title: known([textAt(label, "team", "key"), textAt(label, "name")]).join(" · "),
  }));

async function readAll({ http, most }: ChoicesCall, list: string, fields: string): Promise<unknown[]> {
  const query = `query ($first: Int, $after: String) {
  ${list}(first: $first, after: $after) { nodes { ${fields} } pageInfo { hasNextPage endCursor } }
}`;
  return await collectPages<unknown, string>(most, async (after) => {
    const answer = await queryLinear(http, { query, variables: { first: pageSize, after } }, { repeatable: true });
    const connection = recordAt(answer, list);
    return { items: listAt(connection, "nodes"), next: nextCursor(connection) };
  });
}
