import { Refusal } from "../../base/refusal.ts";
import type { ReadFault } from "../../contract/fault.ts";
import { type Http, type HttpRequest, providerFailure } from "../../contract/http.ts";
import { at, listAt, textAt } from "../../contract/read.ts";

type Operation = { query: string; variables?: Record<string, unknown> };

/** The data of an answer. Linear also refuses with status 200. */
export async function queryLinear(http: Http, operation: Operation, options: Pick<HttpRequest, "repeatable"> = {}): Promise<unknown> {
  const answer = await http.json({ method: "POST", path: "/graphql", json: operation, ...options });
  if (listAt(answer, "errors").length > 0) throw providerFailure("Linear", faultOf(answer));
  return at(answer, "data");
}

export const readLinearFault: ReadFault = (body) => faultOf(body);

function faultOf(body: unknown) {
  const error = at(body, "errors", 0);
  return {
    code: textAt(error, "extensions", "code"),
    message: textAt(error, "extensions", "userPresentableMessage") ?? textAt(error, "message") ?? textAt(body, "error"),
  };
}

/** People know a team by its key ("ENG"), Linear wants its id. */
export async function findTeamId(http: Http, idOrKey: string): Promise<string> {
  if (!/^[A-Z][A-Z0-9]{0,6}$/.test(idOrKey)) return idOrKey;
  const query = "query ($key: String!) { teams(filter: { key: { eq: $key } }, first: 1) { nodes { id } } }";
  const id = textAt(await queryLinear(http, { query, variables: { key: idOrKey } }, { repeatable: true }), "teams", "nodes", 0, "id");
  if (id !== undefined) return id;
  throw new Refusal("validation_failed", `There is no team with the key ${idOrKey}.`, {
    errors: [{ pointer: "/teamId", detail: "is no team's id or key" }],
  });
}
