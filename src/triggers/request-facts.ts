import type { TriggerData } from "../workflows/engine-node.ts";

type Sent = { method: string; headers: Record<string, string>; queryValues: Record<string, unknown> };

/** What a run sees of the request beside its body. Headers that prove who somebody is stay outside: runs are read by many. */
export const describeRequest = ({
  method,
  headers,
  queryValues,
}: Sent): Pick<TriggerData, "method" | "query" | "headers"> => ({
  method,
  query: Object.fromEntries(Object.entries(queryValues).filter(([name]) => name !== "__proto__")),
  headers: Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== "__proto__" && !secretHeaders.test(name)),
  ),
});

/** The list is in docs/triggers.md. */
const secretHeaders =
  /authorization|authenticat|cookie|signature|secret|token|passw|credential|session|csrf|xsrf|jwt|client[-_]?cert|(api|access)[-_]?key|(^|[-_])auth([-_]|$)/i;
