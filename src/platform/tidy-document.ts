import { isDeepStrictEqual } from "node:util";

const referencePrefix = "#/components/schemas/";

export type Document = { components: { schemas: Record<string, object> } };

/**
 * Makes a generated OpenAPI document readable: one name where a shape is the same in requests and answers, no shape that
 * nothing refers to, and no rules that only repeat what a format or a number of JavaScript is.
 */
export function tidyDocument(document: Document): Document {
  const names = findTwins(document.components.schemas);
  const tidied = rewrite(document, (key, value) => {
    if (value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER) return undefined;
    if (key === "description" && value === "Default Response") return "Done.";
    if (key === "$ref") return names.get(String(value)) ?? value;
    return withoutPatternOfFormat(value);
  });
  const used = findUsed(tidied);
  const schemas = Object.fromEntries(Object.entries(tidied.components.schemas).filter(([name]) => used.has(name)));
  return { ...tidied, components: { ...tidied.components, schemas } };
}

/** The generator names what a request sends `XInput` and what an answer holds `X`, also when both are the same. */
function findTwins(schemas: Document["components"]["schemas"]): Map<string, string> {
  const comparable = (schema: object | undefined) =>
    rewrite(schema ?? {}, (key, value) => {
      if (key === "$ref") return String(value).replace(/Input$/, "");
      return key === "additionalProperties" && value === false ? undefined : value;
    });
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(schemas)) {
    const twin = name.replace(/Input$/, "");
    if (twin !== name && isDeepStrictEqual(comparable(schema), comparable(schemas[twin])))
      names.set(referencePrefix + name, referencePrefix + twin);
  }
  return names;
}

function withoutPatternOfFormat(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("format" in value) || !("pattern" in value)) return value;
  const { pattern: _, ...rest } = value;
  return rest;
}

function findUsed({ components, ...rest }: Document): Set<string> {
  const used = new Set<string>();
  const open: unknown[] = [rest];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    rewrite(next, (key, value) => {
      const name = key === "$ref" ? String(value).slice(referencePrefix.length) : undefined;
      if (name !== undefined && !used.has(name)) {
        used.add(name);
        open.push(components.schemas[name]);
      }
      return value;
    });
  }
  return used;
}

const rewrite = <Value>(value: Value, revive: (key: string, value: unknown) => unknown): Value =>
  JSON.parse(JSON.stringify(value), revive) as Value;
