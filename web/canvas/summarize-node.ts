import { type ConditionRows, operators, type Row } from "../../src/workflows/conditions/operators.ts";
import type { CanvasNode } from "../../src/workflows/wire.ts";
import type { NodeKind } from "../catalog.ts";
import { durationInWords } from "../node-form/durations.ts";
import { isSchema, labelOf } from "../node-form/field-shape.ts";

const mostFields = 2;
const longest = 60;

/**
 * What a node does with what it was given, in a line: "GET /orders/{id}", "total > 100". The fields are those its descriptor names, or else the
 * first that must be filled in; empty where none says anything.
 */
export function summarizeNode({ parameters = {} }: Pick<CanvasNode, "parameters">, kind: NodeKind | undefined): string {
  if (!kind) return "";
  const { inputSchema, summary } = kind;
  const properties = isSchema(inputSchema.properties) ? inputSchema.properties : {};
  const words = (summary ?? fieldsInOrder(inputSchema, Object.keys(properties))).flatMap((name) => {
    const schema = properties[name];
    // What a descriptor names is told also where it is left to its default.
    const usual = summary && isSchema(schema) ? schema.default : undefined;
    const value = parameters[name] ?? usual;
    // A number says nothing without its name.
    if (typeof value === "number" && isSchema(schema) && schema.unit === "milliseconds")
      return [durationInWords(value)];
    if (typeof value === "number") return [`${labelOf(isSchema(schema) ? schema : {}, name).toLowerCase()} ${value}`];
    return write(value);
  });
  const line = words.slice(0, mostFields).join(" ").trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

function fieldsInOrder({ required }: NodeKind["inputSchema"], names: string[]): string[] {
  const first = Array.isArray(required) ? names.filter((name) => required.includes(name)) : [];
  return [...first, ...names.filter((name) => !first.includes(name))];
}

/** Nothing for what is empty or too much for a line. */
function write(value: unknown): string[] {
  if (isSchema(value) && Array.isArray(value.rows)) return write(rowsInWords(value as ConditionRows));
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return write(Object.keys(value).join(", "));
  if (typeof value !== "string") return [];
  const text = withoutOrigin(value.replaceAll(/\{\{\s*(.*?)\s*\}\}/g, (_, inner: string) => `{${lastName(inner)}}`))
    .replaceAll(/\$(input|trigger\.payload|trigger)\./g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return text === "" ? [] : [text];
}

/** A draft may hold anything where its rows should be. */
function rowsInWords({ match, rows, groups = [] }: ConditionRows): string {
  const words = rows.map((row: Partial<Row> | null) => {
    const { field, operator, value } = row ?? {};
    const parts = [lastName(String(field ?? "")), operators[operator ?? "is"]?.words, value];
    return parts.filter((part) => part !== undefined).join(" ");
  });
  const more = groups.length > 0 ? ["…"] : [];
  return [...words, ...more].join(match === "any" ? " or " : " and ");
}

const lastName = (expression: string): string => /([\w-]+)[`\])]*$/.exec(expression)?.[1] ?? "…";

function withoutOrigin(text: string): string {
  const [, host = "", rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (host === "") return text;
  return rest === "" || rest === "/" ? host : rest;
}
