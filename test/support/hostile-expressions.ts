import type { McpClient } from "./gateway/mcp-client.ts";

/** The value of an expression, or the code it is refused with. */
export async function evaluateByCall(client: McpClient, expression: string, data: unknown = {}): Promise<unknown> {
  const { json } = await client.modern("system", "tools/call", {
    name: "system_transform_json",
    arguments: { data, expression },
  });
  if (json.result?.isError) return json.result._meta["switchyard/error"].code;
  return (
    (json.result?.structuredContent.items as { result?: unknown }[] | undefined)?.[0]?.result ??
    json.result?.structuredContent
  );
}

const asIs = "function($x){ $x }";
/** Every way to give the name that the transform operator copies with to something that does not copy. */
export const cloneBindings = {
  "by assignment": (work: string) => `($clone := ${asIs}; ${work})`,
  "as an argument": (work: string) => `(function($clone){ ${work} })(${asIs})`,
  "as a focus": (work: string) => `[${asIs}]@$clone.(${work})`,
  "as a position": (work: string) => `[1]#$clone.(${work})`,
  "inside of a function": (work: string) => `(function(){( $clone := ${asIs}; ${work} )})()`,
  "in a predicate": (work: string) => `[1][($clone := ${asIs}; ${work}; true)]`,
};
export const spoil = (name: string, implementation: string) =>
  `{"f": $${name}} ~> |f|{"implementation": ${implementation}}|`;
/** Keeps what it is given. */
export const spy = 'function($t){( {"f": $lowercase} ~> |f|{"kept": $t}|; $t )}';

/** What everybody may rely on, each through a function that an attack aims at. No interpreter of ours takes these. */
export const probes: [expression: string, value: unknown][] = [
  ['$map(["a", "b"], function($t){ $uppercase($t) })', ["A", "B"]],
  ["$map([[1, 2], [3]], function($list){ $sum($list) })", [3, 3]],
  ['($f := $uppercase ~> $trim; $f(" abc "))', "ABC"],
  ['{"a": 1} ~> |$|{"b": 2}|', { a: 1, b: 2 }],
  ['$lowercase("X") & $string($lowercase.kept) & $string($$.kept)', "x"],
  ["$count([1..1000])", 1000],
];
/** What an attack is put together of. */
export const hostilePieces: string[] = [
  ...[
    "$sum",
    "$uppercase",
    "$lowercase",
    "$map",
    "$clone",
    "$spread([$sum])",
    "$merge($spread([$count]))",
    "$f",
    "$$",
    "$",
  ],
  ...[
    spoil("sum", "function($a){ 0 }"),
    spoil("uppercase", spy),
    spoil("count", "$sum"),
    spoil("trim", "function($a){ 0 }"),
  ],
  ...['{"f": $f} ~> |f|{}, "_jsonata_lambda"|', '{"f": $sum} ~> |f|{}, "_jsonata_function"|', "$ ~> |**|{'stain': 1}|"],
  ...["$f.environment.global", "$f.body", "$f.environment.base.RegexEngine", "$f.signature", "$sum.implementation"],
  ...["forged()", "forged(1)", "$map([1], forged)", "1 ~> forged", "list.forged()", "$string(forged)"],
];

/** Data that says it is a function. */
export const forgedData = {
  forged: { _jsonata_function: true, implementation: { apply: "x" }, signature: null },
  list: [{ forged: { _jsonata_lambda: true, body: { type: "transform" }, arguments: [], environment: {} } }],
};
