import type { z } from "zod";
import { fieldMessage } from "../base/field-message.ts";
import type { FieldFault } from "../base/refusal.ts";
import { expressionFieldsOf, isExpressionField } from "./expression-fields.ts";
import type { PlacedNode } from "./node-kinds.ts";
import { containsReference } from "./parse-references.ts";
import { toFaults, toPointer } from "./read-canvas.ts";

/** What is already certain about a node's parameters, in the words a run would use. What a reference or a model supplies is not. */
export function checkParameters({ node, kind, pointer }: PlacedNode, now: Date): FieldFault[] {
  const { parameters = {}, instruction = "" } = node;
  const at = `${pointer}/parameters`;
  if (!kind) return [];
  const { error } = kind.input.safeParse(parameters, { error: fieldMessage });
  const context = {
    parameters,
    expressionFields: expressionFieldsOf(kind.input),
    isFilledByModel: instruction.trim() !== "",
  };
  const certain = (error?.issues ?? []).filter((issue) => isCertain(issue, context));
  if (certain.length > 0) return toFaults(certain, at);
  return (kind.findFaults?.(parameters, now) ?? []).map((fault) => ({
    pointer: at + fault.pointer,
    detail: fault.detail,
  }));
}

type ParameterContext = {
  parameters: Record<string, unknown>;
  expressionFields: readonly string[];
  isFilledByModel: boolean;
};

function isCertain(
  { code, path }: z.core.$ZodIssue,
  { parameters, expressionFields, isFilledByModel }: ParameterContext,
): boolean {
  if (code === "unrecognized_keys") return true;
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], parameters);
  if (isFilledByModel && (path.length === 0 || (path.length === 1 && value === undefined))) return false;
  if (typeof value === "string")
    return !containsReference(value) && !isExpressionField(toPointer(path), expressionFields);
  // These judge what is inside by their own rules, which may speak of a value that is only known in a run.
  return !(code === "invalid_union" || code === "custom") || !hasReference(value);
}

const hasReference = (value: unknown): boolean => {
  if (typeof value === "string") return containsReference(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasReference);
};
