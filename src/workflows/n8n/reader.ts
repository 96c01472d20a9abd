import { readJson } from "../../base/json.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Names } from "./expressions/names.ts";
import { isExpression, translateText, translateToJsonata } from "./expressions/translate-text.ts";

export type Reader = ReturnType<typeof createReader>;

/** The parameters of one node of n8n. It remembers what was asked for, so that the rest can be named, and what was not understood. Without names nothing is translated. */
export function createReader(parameters: Record<string, unknown>, names: Names | undefined) {
  const asked = new Set<string>();
  const remarks: string[] = [];

  /** As it is written. A dotted path leads into objects, and a choice from a list stands for its value. */
  function raw(path: string): unknown {
    asked.add(path);
    return unwrap(valueAt(parameters, path));
  }

  function translate(value: unknown, label: string): unknown {
    const plain = unwrap(value);
    if (!names) return plain;
    if (typeof plain === "string") {
      const { text, fault } = translateText(plain, names);
      if (fault !== undefined)
        remarks.push(`“${label}” is kept as text, because ${shorten(plain)} cannot be read: ${fault}.`);
      return text;
    }
    if (Array.isArray(plain)) return plain.map((entry) => translate(entry, label));
    if (typeof plain !== "object" || plain === null) return plain;
    return Object.fromEntries(Object.entries(plain).map(([key, entry]) => [key, translate(entry, label)]));
  }

  return {
    raw,
    translate,
    remarks,
    remark: (words: string) => void remarks.push(words),

    /** With its expressions translated; undefined where it is empty. */
    value(path: string): unknown {
      const found = raw(path);
      return found === undefined || found === null || found === "" ? undefined : translate(found, path);
    },

    /** As JSONata; an empty text where it cannot be read, which no field takes. */
    expression(value: unknown, label: string): string {
      if (!names) return "";
      const { text, fault } = translateToJsonata(unwrap(value), names);
      if (fault !== undefined)
        remarks.push(
          `“${label}” is left empty, because ${shorten(textOf(unwrap(value)))} cannot be read: ${fault}. Fill it in.`,
        );
      return text;
    },

    /** Parameters with something in them that nobody asked for, or in which nobody asked for it. */
    rest: (): string[] => Object.entries(parameters).flatMap(([name, value]) => findUnasked(name, value, asked)),
  };
}

/** One level into objects of which only parts were asked for. */
function findUnasked(name: string, value: unknown, asked: ReadonlySet<string>): string[] {
  if (asked.has(name) || quiet.has(name) || isEmpty(value)) return [];
  const parts = [...asked].filter((path) => path.startsWith(`${name}.`));
  if (parts.length === 0) return [name];
  const isAsked = (key: string): boolean => parts.some((path) => path.split(".")[1] === key);
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return entries.flatMap(([key, entry]) => (isAsked(key) || isEmpty(entry) ? [] : [`${name}.${key}`]));
}

/** How n8n chose something, which says nothing about what it does. */
const quiet = new Set(["resource", "operation", "authentication", "select", "nodeCredentialType", "genericAuthType"]);

export function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, name) => {
    const plain = name === "cachedResultName" ? at : unwrap(at);
    if (typeof plain !== "object" || plain === null || !Object.hasOwn(plain, name)) return undefined;
    return (plain as Record<string, unknown>)[name];
  }, value);
}

/** n8n keeps a choice from a list with how it was made. */
function unwrap(value: unknown): unknown {
  const isChoice = typeof value === "object" && value !== null && Object.hasOwn(value, "__rl");
  return isChoice ? (value as { value?: unknown }).value : value;
}

const isEmpty = (value: unknown): boolean =>
  value === "" || value === false || value === null || (typeof value === "object" && Object.keys(value).length === 0);

const longest = 120;
export const shorten = (text: string): string => {
  const plain = isExpression(text) ? text.slice(1) : text;
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
};

/** What n8n keeps as a text, whatever a file has in its place. */
export const textOf = (value: unknown, usual = ""): string =>
  ["string", "number", "boolean"].includes(typeof value) ? String(value) : usual;

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Rows of name and value, as n8n writes headers, fields and the like. */
export function pairsOf(value: unknown): { name: string; value: unknown }[] {
  return listOf(value).flatMap((row) => {
    const { name, value: given } = (row ?? {}) as { name?: unknown; value?: unknown };
    return typeof name === "string" && name !== "" && !(name in {}) ? [{ name, value: given }] : [];
  });
}

/** JSON inside a text, under the limits of every request; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return readJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return undefined;
  }
}

const mostNames = 100;

/** Names that n8n keeps as one text with commas. */
export const splitNames = (text: string): string[] => text.split(",", mostNames).flatMap((name) => name.trim() || []);
