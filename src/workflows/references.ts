import { isExpressionField } from "./expression-fields.ts";
import { containsReference, type Expression, parseExpression, parseText } from "./parse-references.ts";
import type { CanvasNode } from "./wire.ts";

export type FoundReference = {
  /** JSON Pointer to the text it stands in. */
  pointer: string;
  expression: string;
  /** Canvas ids it names. */
  nodeIds: string[];
  /** What JSONata has to be able to read; undefined for a plain path. */
  jsonata: string | undefined;
  fault?: string;
};

/** Every reference and expression in every text of a value, without reading or evaluating any. `expressionFields` as of `expressionFieldsOf`. */
export function* findReferences(value: unknown, expressionFields: readonly string[] = []): Generator<FoundReference> {
  for (const { pointer, expression, fault } of collect(value, { pointer: "", expressionFields })) {
    const { source, nodeIds, path } = expression;
    const jsonata = path || fault !== undefined ? undefined : expression.jsonata;
    yield { pointer, expression: source, nodeIds, jsonata, ...(fault === undefined ? {} : { fault }) };
  }
}

/** Whether a node speaks of the incoming item, so that it is executed for each of them. */
export function takesItem({ parameters, instruction }: Pick<CanvasNode, "parameters" | "instruction">): boolean {
  return /\$input\b/.test(instruction ?? "") || mentionsInput(parameters);
}

/** Whether any reference in a value is to `$input`, or to what it came from. */
export function mentionsInput(value: unknown, expressionFields: readonly string[] = []): boolean {
  for (const { expression } of collect(value, { pointer: "", expressionFields }))
    if (expression.roots.has("input") || expression.pairs.length > 0) return true;
  return false;
}

/** Canvas ids of all nodes that a value may refer to; undefined for any. Rather too many: every text is also taken for an expression. */
export function namedNodes(value: unknown): Set<string> | undefined {
  const expressions = [...textsIn(value)].flatMap((text) => [parseExpression(text), ...expressionsIn(text)]);
  if (expressions.some(({ usesAnyNode }) => usesAnyNode)) return undefined;
  return new Set(expressions.flatMap(({ nodeIds }) => nodeIds));
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string" && value.includes("$nodes")) yield value;
  else if (typeof value === "object" && value !== null) for (const entry of Object.values(value)) yield* textsIn(entry);
}

function expressionsIn(text: string): Expression[] {
  const { exact, parts } = parseText(text);
  return exact ? [exact] : parts.filter((part) => typeof part === "object");
}

type Place = { pointer: string; expressionFields: readonly string[] };
type Found = { pointer: string; expression: Expression; fault?: string };

function* collect(value: unknown, place: Place): Generator<Found> {
  if (typeof value === "string") yield* collectFromText(value, place);
  else if (typeof value === "object" && value !== null)
    for (const [key, entry] of Object.entries(value))
      yield* collect(entry, { ...place, pointer: `${place.pointer}/${escapeKey(key)}` });
}

function collectFromText(text: string, { pointer, expressionFields }: Place): Found[] {
  if (isExpressionField(pointer, expressionFields))
    return text.trim() === "" ? [] : [{ pointer, expression: parseExpression(text) }];
  if (!containsReference(text)) return [];
  const { fault } = parseText(text);
  const last = fault === undefined ? [] : [{ pointer, expression: unread, fault }];
  return [...expressionsIn(text).map((expression) => ({ pointer, expression })), ...last];
}

const unread: Expression = {
  source: "",
  jsonata: "",
  roots: new Set(),
  nodeIds: [],
  pairs: [],
  usesAnyNode: false,
  path: undefined,
};

export const escapeKey = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
