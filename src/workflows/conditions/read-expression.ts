import {
  type ConditionRows,
  describeOperator,
  type Group,
  type Operator,
  operatorNames,
  type Row,
} from "./operators.ts";
import { isKnown, isPath, writeField, writeRow, writeValue } from "./write-expression.ts";

/** The rows that an expression says, or the part of it that rows cannot say. */
export type ReadExpression = { rows: ConditionRows } | { unread: string };

/** Only what means the same as rows: what `writeExpression` writes, and what people mostly write by hand. */
export function readExpression(text: string): ReadExpression {
  const [, braced] = /^\s*\{\{((?:(?!\{\{|\}\}).)+)\}\}\s*$/s.exec(text) ?? [];
  const { match, parts } = splitExpression((braced ?? text).trim());
  const rows: Row[] = [];
  const groups: Group[] = [];
  for (const part of parts) {
    const row = readRow(part);
    const group = row ? undefined : readGroup(part);
    if (row) rows.push(row);
    else if (group) groups.push(group);
    else return { unread: part };
  }
  return { rows: groups.length === 0 ? { match, rows } : { match, rows, groups } };
}

/** What joins the whole: "or" binds less than "and". */
function splitExpression(text: string): { match: Group["match"]; parts: string[] } {
  const alternatives = splitBy(text, "or");
  return alternatives.length > 1
    ? { match: "any", parts: alternatives }
    : { match: "all", parts: splitBy(text, "and") };
}

function readGroup(part: string): Group | undefined {
  const inside = isOneUnit(part) && part.startsWith("(") ? part.slice(1, -1) : part;
  const { match, parts } = splitExpression(inside.trim());
  const rows = parts.map(readRow);
  return rows.every((row) => row !== undefined) ? { match, rows } : undefined;
}

function readRow(part: string): Row | undefined {
  for (const { operator, template, isByHand } of templates()) {
    const { field, value } = template.exec(part)?.groups ?? {};
    const row = field === undefined ? undefined : toRow(part, { operator, field, value, isByHand });
    if (row) return row;
  }
  // Braces around a row change nothing, unless they belong to what was just tried.
  return part.startsWith("(") && isOneUnit(part) ? readRow(part.slice(1, -1).trim()) : undefined;
}

type Template = { operator: Operator; template: RegExp; isByHand: boolean };
let known: Template[] | undefined;

/** Those that say more come first: "is true" before "is", and what a plain field says last. */
function templates(): Template[] {
  known ??= operatorNames
    .flatMap((operator) => {
      const { written, referred, alsoRead } = describeOperator(operator);
      const texts = [written, ...(referred === undefined ? [] : [referred])].map((text) => ({ text, isByHand: false }));
      if (alsoRead !== undefined) texts.push({ text: alsoRead, isByHand: true });
      return texts.map(({ text, isByHand }) => ({ operator, text, isByHand }));
    })
    .toSorted((one, other) => weightOf(other.text) - weightOf(one.text))
    .map(({ operator, text, isByHand }) => ({ operator, isByHand, template: toPattern(text) }));
  return known;
}

const weightOf = (text: string): number => text.replaceAll(/\b[XV]\b/g, "").length;

function toPattern(text: string): RegExp {
  const named = new Set<string>();
  const source = text
    .split(/\b([XV])\b|(\s+)/)
    .filter((part) => part !== undefined && part !== "")
    .map((part) => {
      if (/^\s+$/.test(part)) return "\\s+";
      if (part !== "X" && part !== "V") return part.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
      const name = part === "X" ? "field" : "value";
      if (named.has(name)) return `\\k<${name}>`;
      named.add(name);
      return `(?<${name}>.+?)`;
    });
  return new RegExp(`^${source.join("")}$`, "s");
}

type Found = { operator: Operator; field: string; value: string | undefined; isByHand: boolean };

/** Only where writing it again gives the same text, so that nothing is guessed. */
function toRow(part: string, { operator, field: subject, value: text, isByHand }: Found): Row | undefined {
  if (!isOneUnit(subject)) return undefined;
  const value = text === undefined ? undefined : readValue(text);
  const row = { field: readField(subject), operator, ...(value === undefined ? {} : { value }) };
  const isSame = isByHand ? isFitting(row, subject, text) : squeeze(writeRow(row) ?? "") === squeeze(part);
  return isSame ? row : undefined;
}

/** Written by hand it may fail where rows do not hold, so only what is compared with a known value of the right kind is the same. */
function isFitting({ field, operator, value }: Row, subject: string, text: string | undefined): boolean {
  const { wants } = describeOperator(operator);
  if (wants === "nothing") return isPath(subject);
  const isSameText = writeField(field) === subject && writeValue(value) === text;
  return isSameText && isKnown(value) && typeof value === (wants === "number" ? "number" : "string");
}

const squeeze = (text: string): string => text.replaceAll(/\s+/g, " ");

const readField = (subject: string): string => (subject.startsWith("(") ? subject.slice(1, -1).trim() : subject);

function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (text.startsWith("[") && isOneUnit(text)) {
      const entries = splitBy(text.slice(1, -1), ",").map(readValue);
      return entries.includes(undefined) ? undefined : entries;
    }
    if (isPath(text)) return text;
    return text.startsWith("(") && isOneUnit(text) ? `{{ ${text.slice(1, -1).trim()} }}` : undefined;
  }
}

/** Text, name or path, or what stands in brackets: nothing around or between that would be part of something else. */
function isOneUnit(text: string): boolean {
  if (isPath(text)) return true;
  const closing = { "(": ")", "[": "]" }[text.charAt(0)];
  return closing !== undefined && endOfBracket(text) === text.length - 1;
}

function endOfBracket(text: string): number {
  for (const { at, depth } of walk(text)) if (depth === 0 && at > 0) return at;
  return -1;
}

/** The parts between a word or sign that stands in no brackets and no text. */
function splitBy(text: string, word: "and" | "or" | ","): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { at, depth, isPlain } of walk(text)) {
    if (depth > 0 || !isPlain || at < from || !text.startsWith(word, at)) continue;
    if (word !== "," && !(/[\s)]/.test(text.charAt(at - 1)) && /[\s(]/.test(text.charAt(at + word.length)))) continue;
    parts.push(text.slice(from, at).trim());
    from = at + word.length;
  }
  return [...parts, text.slice(from).trim()];
}

const token = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|\/\*.*?\*\/|\/\^.*?\$\/|./gsu;

/** Each character outside of texts, with how many brackets are open behind it. */
function* walk(text: string): Generator<{ at: number; depth: number; isPlain: boolean }> {
  let depth = 0;
  for (const { 0: read, index } of text.matchAll(token)) {
    if ("([{".includes(read)) depth += 1;
    if (")]}".includes(read)) depth -= 1;
    yield { at: index, depth, isPlain: read.length === 1 };
  }
}
