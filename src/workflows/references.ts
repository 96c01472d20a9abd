import { findExpressionFault } from "../base/find-expression-fault.ts";
import { isExpressionField } from "./expression-fields.ts";
import { type Expression, parseExpression, parseText } from "./parse-references.ts";
import type { CanvasNode } from "./wire.ts";

export type FoundReference = {
  /** JSON Pointer to the text it stands in. */
  pointer: string;
  expression: string;
  /** Canvas ids it names. */
  nodeIds: string[];
  fault?: string;
};

/** Every reference and expression in every text of a value, without evaluating any. `expressionFields` as of `expressionFieldsOf`. */
export function findReferences(value: unknown, expressionFields: readonly string[] = []): FoundReference[] {
  return collect(value, { pointer: "", expressionFields }).map(({ pointer, expression, fault: known }) => {
    const fault = known ?? (expression.path ? undefined : findExpressionFault(expression.jsonata));
    return { pointer, expression: expression.source, nodeIds: expression.nodeIds, ...(fault === undefined ? {} : { fault }) };
  });
}

/** Whether a text is a reference or has one in it. */
export function containsReference(text: string): boolean {
  const { exact, parts, unclosed } = parseText(text);
  return exact !== undefined || unclosed === true || parts.some((part) => typeof part === "object");
}

/** Whether a node speaks of the incoming item, so that it is executed for each of them. */
export function takesItem({ parameters, instruction }: Pick<CanvasNode, "parameters" | "instruction">): boolean {
  return /\$input\b/.test(instruction ?? "") || mentionsInput(parameters);
}

/** Whether any reference in a value is to `$input`. */
export function mentionsInput(value: unknown, expressionFields: readonly string[] = []): boolean {
  return collect(value, { pointer: "", expressionFields }).some(({ expression }) => expression.roots.has("input"));
}

type Place = { pointer: string; expressionFields: readonly string[] };
type Found = { pointer: string; expression: Expression; fault?: string };

function collect(value: unknown, place: Place): Found[] {
  if (typeof value === "string") return collectFromText(value, place);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => collect(entry, { ...place, pointer: `${place.pointer}/${escapeKey(key)}` }));
}

function collectFromText(text: string, { pointer, expressionFields }: Place): Found[] {
  if (isExpressionField(pointer, expressionFields)) return text.trim() === "" ? [] : [{ pointer, expression: parseExpression(text) }];
  const { exact, parts, unclosed } = parseText(text);
  const found = exact ? [exact] : parts.filter((part) => typeof part === "object");
  const last = unclosed ? [{ pointer, expression: parseExpression(text), fault: "it is not closed with }}" }] : [];
  return [...found.map((expression) => ({ pointer, expression })), ...last];
}

export const escapeKey = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
