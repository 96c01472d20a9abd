import { setImmediate as endOfTurn } from "node:timers/promises";
import { Refusal } from "./refusal.ts";

const maxRequestDepth = 64;

/** Deeper than requests may be, because a record wraps what a request brought. */
const maxStoredDepth = 128;

/** Escapes that can spell NUL, half of a surrogate pair, or a letter of a poisonous key; and those keys as they are. */
const suspicious = /\\u(?:0000|00[5-7]|[dD][89a-fA-F])|__proto__|"constructor"/;

/** The value of a request body. One byte order mark at the start is ignored, as RFC 8259 allows. */
export const readJson = (bytes: Uint8Array, { maxDepth = maxRequestDepth }: { maxDepth?: number } = {}): unknown => {
  const steps = readInSteps(bytes, maxDepth);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

/** The same for a large body, of which every step takes tens of milliseconds: others get their turn in between. */
export const readJsonInTurns = async (bytes: Uint8Array): Promise<unknown> => {
  const steps = readInSteps(bytes, maxRequestDepth);
  for (;;) {
    await endOfTurn();
    const { done, value } = steps.next();
    if (done) return value;
  }
};

function* readInSteps(bytes: Uint8Array, maxDepth: number): Generator<undefined, unknown, undefined> {
  const text = decode(bytes);
  yield;
  if (isDeeperThan(text, maxDepth)) throw new Refusal("malformed_json", `The JSON is nested deeper than ${maxDepth} levels.`);
  const value = parse(text);
  yield;
  if (!suspicious.test(text)) return value;
  if (findFirst(value, isPoisonous) !== undefined) {
    throw new Refusal("malformed_json", "The JSON has a key that is not allowed: __proto__ or constructor.prototype.");
  }
  const pointer = findUnstorableText(value);
  if (pointer !== undefined) {
    const detail = "must not contain the NUL character or half of a surrogate pair";
    throw new Refusal("validation_failed", "The JSON contains text that cannot be stored.", { errors: [{ pointer, detail }] });
  }
  return value;
}

/** JSON Pointer of the first text or key with NUL or half of a surrogate pair, which PostgreSQL cannot hold; "" is the value itself. */
export const findUnstorableText = (value: unknown): string | undefined =>
  findFirst(value, ({ key, value: child }) => isUnstorable(key) || (typeof child === "string" && isUnstorable(child)));

/**
 * JSON text for records, which the database always takes; never throws.
 * `sanitized` says that something was replaced: by U+FFFD in texts, by a marker like `[circular]` for what JSON cannot hold.
 */
export const toStorableText = (value: unknown): { text: string; sanitized: boolean } => {
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return { text: "null", sanitized: value !== undefined };
    if (!isDeeperThan(text, maxStoredDepth)) return replaceUnstorableEscapes(text);
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

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may hold a secret.
    throw new Refusal("malformed_json", "The body is not valid JSON.");
  }
};

const quote = 0x22;
const backslash = 0x5c;

/** Needs no valid JSON: it runs before the parser, and a text that is not JSON fails there. */
const isDeeperThan = (text: string, maxDepth: number): boolean => {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    // "[" and "{" differ in one bit, and so do "]" and "}".
    else if ((code | 0x20) === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if ((code | 0x20) === 0x7d) depth -= 1;
  }
  return false;
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

type Place = { key: string; value: unknown; parent: Place | undefined };

/** In document order, without recursion, each object once: any depth and cycles are fine. */
const findFirst = (root: unknown, matches: (place: Place) => boolean): string | undefined => {
  const seen = new Set<object>();
  const open: Place[] = [{ key: "", value: root, parent: undefined }];
  for (let place = open.pop(); place; place = open.pop()) {
    if (matches(place)) return pointerTo(place);
    const { value } = place;
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [key, child] of Object.entries(value).reverse()) open.push({ key, value: child, parent: place });
  }
  return undefined;
};

const pointerTo = (place: Place): string => {
  const keys: string[] = [];
  for (let at = place; at.parent; at = at.parent) keys.push(`/${at.key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return keys.reverse().join("").replaceAll("\0", "\ufffd").toWellFormed();
};

const isUnstorable = (text: string): boolean => text.includes("\0") || !text.isWellFormed();

const isPoisonous = ({ key, value }: Place): boolean =>
  key === "__proto__" || (key === "constructor" && typeof value === "object" && value !== null && Object.hasOwn(value, "prototype"));

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
