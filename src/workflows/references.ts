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

/** Whether any reference in a value is to `$input`. */
export function mentionsInput(value: unknown, expressionFields: readonly string[] = []): boolean {
  for (const { expression } of collect(value, { pointer: "", expressionFields })) if (expression.roots.has("input")) return true;
  return false;
}

type Place = { pointer: string; expressionFields: readonly string[] };
type Found = { pointer: string; expression: Expression; fault?: string };

function* collect(value: unknown, place: Place): Generator<Found> {
  if (typeof value === "string") yield* collectFromText(value, place);
  else if (typeof value === "object" && value !== null)
    for (const [key, entry] of Object.entries(value)) yield* collect(entry, { ...place, pointer: `${place.pointer}/${escapeKey(key)}` });
}

function collectFromText(text: string, { pointer, expressionFields }: Place): Found[] {
  if (isExpressionField(pointer, expressionFields)) return text.trim() === "" ? [] : [{ pointer, expression: parseExpression(text) }];
  if (!containsReference(text)) return [];
  const { exact, parts, fault } = parseText(text);
  const found = exact ? [exact] : parts.filter((part) => typeof part === "object");
  const last = fault === undefined ? [] : [{ pointer, expression: unread, fault }];
  return [...found.map((expression) => ({ pointer, expression })), ...last];
}

const unread: Expression = { source: "", jsonata: "", roots: new Set(), nodeIds: [], usesAnyNode: false, path: undefined };

export const escapeKey = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
