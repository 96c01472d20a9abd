import { randomUUID } from "node:crypto";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { endOfNumber, findInexact, type Inexact, isDigit, parseForRecord } from "./json-numbers.ts";
import { Refusal } from "./refusal.ts";

const maxRequestDepth = 64;

/** What is done with every value of a body blocks everybody else meanwhile. */
const maxRequestValues = 50_000;

/** Deeper than requests may be, because a record wraps what a request brought. */
const maxStoredDepth = 128;

/** Escapes that can spell NUL, half of a surrogate pair, or a letter of a poisonous key; and those keys as they are. */
const suspicious = /\\u(?:0000|00[5-7]|[dD][89a-fA-F])|__proto__|"constructor"/;

type Reading = {
  maxDepth?: number;
  /** A number that would become another one is refused, or stays as it was written, as text. */
  numbers?: "exact" | "inexact as text";
};

/** The value of a request body. One byte order mark at the start is ignored, as RFC 8259 allows. */
export const readJson = (bytes: Uint8Array, reading: Reading = {}): unknown => {
  const steps = readInSteps(bytes, reading);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

/** The same for a large body, of which every step takes tens of milliseconds: others get their turn in between. */
export const readJsonInTurns = async (bytes: Uint8Array): Promise<unknown> => {
  const steps = readInSteps(bytes, {});
  for (;;) {
    await endOfTurn();
    const { done, value } = steps.next();
    if (done) return value;
  }
};

/** Whether it holds nothing but what JSON allows around a value. */
export const isBlank = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);

function* readInSteps(
  bytes: Uint8Array,
  { maxDepth = maxRequestDepth, numbers = "exact" }: Reading,
): Generator<undefined, unknown, undefined> {
  const text = decode(bytes);
  yield;
  const size = measure(text, maxDepth, maxRequestValues);
  if (size.depth > maxDepth) throw new Refusal("malformed_json", `The JSON is nested deeper than ${maxDepth} levels.`);
  if (size.values > maxRequestValues)
    throw new Refusal("malformed_json", `The JSON has more than ${maxRequestValues} values.`);
  const value = parse(text, size.inexact && numbers === "inexact as text" ? parseForRecord : JSON.parse);
  yield;
  const isSuspicious = suspicious.test(text);
  if (isSuspicious && findFirst(value, isPoisonous) !== undefined) {
    throw new Refusal("malformed_json", "The JSON has a key that is not allowed: __proto__ or constructor.prototype.");
  }
  if (size.inexact && numbers === "exact") throw refuseNumber(text, size.inexact);
  const pointer = isSuspicious ? findUnstorableText(value) : undefined;
  if (pointer !== undefined) {
    const detail = "must not contain the NUL character or half of a surrogate pair";
    throw new Refusal("validation_failed", "The JSON contains text that cannot be stored.", {
      errors: [{ pointer, detail }],
    });
  }
  return value;
}

/** The place is found by the value, so the number is replaced by one that is nowhere else. */
function refuseNumber(text: string, { start, end, fault }: Inexact): Refusal {
  const mark = randomUUID();
  const marked: unknown = JSON.parse(`${text.slice(0, start)}"${mark}"${text.slice(end)}`);
  const pointer = findFirst(marked, (_key, child) => child === mark) ?? "";
  const detail = `is a ${fault}`;
  return new Refusal("validation_failed", `${pointer.slice(1) || "The body"} ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}

/** JSON Pointer of the first text or key with NUL or half of a surrogate pair, which PostgreSQL cannot hold; "" is the value itself. */
export const findUnstorableText = (value: unknown): string | undefined =>
  findFirst(value, (key, child) => isUnstorable(key) || (typeof child === "string" && isUnstorable(child)));

/**
 * JSON text for records, which the database always takes; never throws.
 * `sanitized` says that something was replaced: by U+FFFD in texts, by a marker like `[circular]` for what JSON cannot hold.
 */
export const toStorableText = (value: unknown): { text: string; sanitized: boolean } => {
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return { text: "null", sanitized: value !== undefined };
    if (measure(text, maxStoredDepth).depth <= maxStoredDepth) return replaceUnstorableEscapes(text);
  } catch {
    // Cycles, bigint and stack-breaking depth: the marking serialisation below takes them.
  }
  try {
    return { text: replaceUnstorableEscapes(JSON.stringify(value, createMarker())).text, sanitized: true };
  } catch {
    return { text: '"[unreadable]"', sanitized: true };
  }
};

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal("malformed_json", "The body is not valid UTF-8.");
  }
};

const parse = (text: string, read: (text: string) => unknown): unknown => {
  try {
    return read(text);
  } catch {
    // The parser's own message quotes the body, which may hold a secret.
    throw new Refusal("malformed_json", "The body is not valid JSON.");
  }
};

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

type Size = { depth: number; values: number; inexact: Inexact | undefined };

/** Of the text up to where it is too deep or has too many values. Needs no valid JSON: it runs before the parser, and a text that is not JSON fails there. */
const measure = (text: string, maxDepth: number, maxValues = Number.POSITIVE_INFINITY): Size => {
  let depth = 0;
  let values = 1;
  let inexact: Inexact | undefined;
  for (let index = 0; index < text.length && depth <= maxDepth && values <= maxValues; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === comma) values += 1;
    // "[" and "{" differ in one bit, and so do "]" and "}".
    else if ((code | 0x20) === 0x7b) {
      depth += 1;
      values += 1;
    } else if ((code | 0x20) === 0x7d) depth -= 1;
    else if (isDigit(code)) {
      const end = endOfNumber(text, index);
      inexact ??= findInexact(text, index, end);
      index = end - 1;
    }
  }
  return { depth, values, inexact };
};

/** Jumps from quote to quote: a body may be one text of ten megabytes. */
const endOfString = (text: string, start: number): number => {
  for (let index = text.indexOf('"', start + 1); index !== -1; index = text.indexOf('"', index + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(index - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return index;
  }
  return text.length;
};

type Matches = (key: string, value: unknown) => boolean;

/** An object or list on the way down, with how far it has been looked through. */
type Level = { values: readonly unknown[]; keys: string[] | undefined; next: number };

const levelOf = (value: object): Level =>
  Array.isArray(value)
    ? { values: value, keys: undefined, next: 0 }
    : { values: Object.values(value), keys: Object.keys(value), next: 0 };

/** In document order, without recursion, each object once: any depth and cycles are fine. */
const findFirst = (root: unknown, matches: Matches): string | undefined => {
  const seen = new Set<object>();
  const open = [levelOf([root])];
  for (let level = open.at(-1); level; level = open.at(-1)) {
    const index = level.next++;
    const value = level.values[index];
    if (index >= level.values.length) open.pop();
    else if (matches(level.keys?.[index] ?? "", value)) return pointerTo(open.slice(1));
    else if (typeof value === "object" && value !== null && !seen.has(value)) {
      seen.add(value);
      open.push(levelOf(value));
    }
  }
  return undefined;
};

const pointerTo = (levels: Level[]): string =>
  levels
    .map(({ keys, next }) => `/${(keys?.[next - 1] ?? String(next - 1)).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("")
    .replaceAll("\0", "\ufffd")
    .toWellFormed();

const isUnstorable = (text: string): boolean => text.includes("\0") || !text.isWellFormed();

const isPoisonous: Matches = (key, value) =>
  key === "__proto__" ||
  (key === "constructor" && typeof value === "object" && value !== null && Object.hasOwn(value, "prototype"));

/** `JSON.stringify` escapes a surrogate only when its other half is missing. */
const replaceUnstorableEscapes = (text: string): { text: string; sanitized: boolean } => {
  let sanitized = false;
  if (!/\\u(?:0000|d)/.test(text)) return { text, sanitized };
  const storable = text.replaceAll(/\\(?:u0000|ud[0-9a-f]{3}|.)/g, (sequence) => {
    if (!/^\\u(?:0000|d)/.test(sequence)) return sequence;
    sanitized = true;
    return "\ufffd";
  });
  return { text: storable, sanitized };
};

const createMarker = () => {
  const ancestors: unknown[] = [];
  return function mark(this: unknown, _key: string, value: unknown): unknown {
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object" || value === null) return value;
    while (ancestors.length > 0 && ancestors.at(-1) !== this) ancestors.pop();
    if (ancestors.includes(value)) return "[circular]";
    if (ancestors.length >= maxStoredDepth) return "[nested too deep]";
    ancestors.push(value);
    return value;
  };
};
