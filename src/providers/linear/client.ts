import { Refusal } from "../../base/refusal.ts";
import type { ProviderFault, ReadFault, ReadRefusal } from "../../contract/fault.ts";
import type { Http, HttpRequest } from "../../contract/http.ts";
import { at, integerAt, listAt, textAt } from "../../contract/read.ts";

type Operation = { query: string; variables?: Record<string, unknown> };

/** The data of an answer. */
export async function queryLinear(
  http: Http,
  operation: Operation,
  options: Pick<HttpRequest, "repeatable"> = {},
): Promise<unknown> {
  return at(await http.json({ method: "POST", path: "/graphql", json: operation, ...options }), "data");
}

export const readLinearFault: ReadFault = (body, { headers }) => faultOf(body, headers);

/** Linear also refuses with status 200. */
export const readLinearRefusal: ReadRefusal = (body, { headers }) =>
  listAt(body, "errors").length > 0 ? faultOf(body, headers) : undefined;

function faultOf(body: unknown, headers: Headers): ProviderFault {
  const error = at(body, "errors", 0);
  const code = textAt(error, "extensions", "code");
  const message =
    textAt(error, "extensions", "userPresentableMessage") ?? textAt(error, "message") ?? textAt(body, "error");
  const missing = /invalid scope: `?([\w:]+)`? required/i.exec(message ?? "")?.[1];
  return {
    code,
    isUnauthorized: code === "AUTHENTICATION_ERROR",
    // It may be one thing that the key may not do, whatever else it may.
    lacksPermission: code === "FORBIDDEN" || undefined,
    missingScopes: missing === undefined ? undefined : [missing],
    ...(code === "RATELIMITED" ? { isTurnedAway: true, isTemporary: true, retryAfterMs: readResetMs(headers) } : {}),
    message,
  };
}

/** Linear counts requests, what they cost and some operations by themselves, and says in milliseconds when each is free again. */
function readResetMs(headers: Headers): number | undefined {
  const usedUp = ["requests", "complexity", "endpoint-requests"].filter(
    (kind) => headers.get(`x-ratelimit-${kind}-remaining`) === "0",
  );
  const resets = usedUp
    .map((kind) => Number(headers.get(`x-ratelimit-${kind}-reset`) ?? Number.NaN))
    .filter(Number.isFinite);
  return resets.length === 0 ? undefined : Math.max(0, Math.max(...resets) - Date.now());
}

/** What is asked of an issue wherever one is read. */
export const issueFields = "id identifier title state { name } assignee { displayName } priority url updatedAt";

export const readIssue = (issue: unknown) => ({
  id: textAt(issue, "id"),
  identifier: textAt(issue, "identifier"),
  title: textAt(issue, "title"),
  state: textAt(issue, "state", "name"),
  assignee: textAt(issue, "assignee", "displayName"),
  priority: integerAt(issue, "priority"),
  url: textAt(issue, "url"),
  updatedAt: textAt(issue, "updatedAt"),
});

/** The cursor of the next page, where there is one. */
export const nextCursor = (connection: unknown): string | undefined =>
  at(connection, "pageInfo", "hasNextPage") === true ? textAt(connection, "pageInfo", "endCursor") : undefined;

/** People know a team by its key ("ENG"), Linear wants its id. */
export async function findTeamId(http: Http, idOrKey: string): Promise<string> {
  if (!/^[A-Z][A-Z0-9]{0,6}$/.test(idOrKey)) return idOrKey;
  const query = "query ($key: String!) { teams(filter: { key: { eq: $key } }, first: 1) { nodes { id } } }";
  const id = textAt(
    await queryLinear(http, { query, variables: { key: idOrKey } }, { repeatable: true }),
    "teams",
    "nodes",
    0,
    "id",
  );
  if (id !== undefined) return id;
  throw new Refusal("validation_failed", `There is no team with the key ${idOrKey}.`, {
    errors: [{ pointer: "/teamId", detail: "is no team's id or key" }],
  });
}
