import {
  checkNumber,
  checkText,
  createSequence,
  type Frame,
  isObject,
  isTrue,
  keysOf,
  leaveIt,
  lookUp,
  spend,
  take,
  takeItem,
  toText,
} from "./interpreter-values.ts";

/** Given as many arguments as it takes; those of a kind that JSONata would refuse or convert are left to it. */
type BuiltIn = { least: number; most: number; apply: (given: unknown[], frame: Frame) => unknown };

const text = (value: unknown, frame: Frame): string =>
  typeof value === "string" ? checkText(value, frame) : leaveIt();
const number = (value: unknown): number => (typeof value === "number" ? value : leaveIt());

/** Of one text, or of nothing. */
const ofText = (apply: (given: string, frame: Frame) => unknown): BuiltIn => ({
  least: 1,
  most: 1,
  apply: ([given], frame) => (given === undefined ? undefined : apply(text(given, frame), frame)),
});
const ofTwoTexts = (apply: (one: string, other: string) => unknown): BuiltIn => ({
  least: 2,
  most: 2,
  apply: ([one, other], frame) => (one === undefined ? leaveIt() : apply(text(one, frame), text(other, frame))),
});
const ofNumber = (apply: (given: number) => number): BuiltIn => ({
  least: 1,
  most: 1,
  apply: ([given]) => (given === undefined ? undefined : apply(number(given))),
});
const ofNumbers = (apply: (given: number[]) => number | undefined): BuiltIn => ({
  least: 1,
  most: 1,
  apply([given], frame) {
    if (given === undefined) return undefined;
    const list = (Array.isArray(given) ? given : [given]) as unknown[];
    spend(frame, list.length);
    const result = apply(list.map(number).map(checkNumber));
    return result === undefined ? undefined : checkNumber(result);
  },
});
const ofAny = (apply: (given: unknown, frame: Frame) => unknown): BuiltIn => ({
  least: 1,
  most: 1,
  apply: ([given], frame) => apply(given, frame),
});

const add = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0);
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

export const builtIns: Readonly<Record<string, BuiltIn>> = {
  sum: ofNumbers(add),
  max: ofNumbers((numbers) => (numbers.length === 0 ? undefined : Math.max(...numbers))),
  min: ofNumbers((numbers) => (numbers.length === 0 ? undefined : Math.min(...numbers))),
  average: ofNumbers((numbers) => (numbers.length === 0 ? undefined : add(numbers) / numbers.length)),
  abs: ofNumber(Math.abs),
  floor: ofNumber(Math.floor),
  ceil: ofNumber(Math.ceil),
  round: { least: 1, most: 2, apply: ([given, places]) => round(number(given), places) },
  number: ofAny(toNumber),
  count: ofAny((given) => (given === undefined ? 0 : isList(given) ? given.length : 1)),
  exists: ofAny((given) => given !== undefined),
  boolean: ofAny(isTrue),
  not: ofAny((given, frame) => (given === undefined ? undefined : !isTrue(given, frame))),
  type: ofAny((given) => (given === undefined ? undefined : kindOf(given))),
  string: ofAny((given, frame) => (given === undefined ? undefined : toText(given, frame))),
  uppercase: ofText((given) => given.toUpperCase()),
  lowercase: ofText((given) => given.toLowerCase()),
  trim: ofText(trim),
  length: ofText(countCharacters),
  contains: ofTwoTexts((given, part) => given.includes(part)),
  substringBefore: ofTwoTexts((given, part) => (given.includes(part) ? given.slice(0, given.indexOf(part)) : given)),
  substringAfter: ofTwoTexts((given, part) =>
    given.includes(part) ? given.slice(given.indexOf(part) + part.length) : given,
  ),
  substring: { least: 2, most: 3, apply: cutText },
  split: { least: 2, most: 2, apply: splitText },
  join: { least: 1, most: 2, apply: joinTexts },
  keys: ofAny((given, frame) =>
    isObject(given) ? createSequence(...keysOf(given, frame)) : given === undefined ? undefined : leaveIt(),
  ),
  lookup: { least: 2, most: 2, apply: ([given, key], frame) => lookUp(given, text(key, frame), frame) },
  append: { least: 2, most: 2, apply: append },
  merge: ofAny(merge),
};

function countCharacters(given: string, frame: Frame): number {
  spend(frame, given.length >> 3);
  return [...given].length;
}

// Only these four are blanks to JSONata.
function trim(given: string): string {
  return given.replace(/[ \t\n\r]+/g, " ").replace(/^ | $/g, "");
}

function kindOf(given: unknown): string {
  if (given === null) return "null";
  return isList(given) ? "array" : typeof given;
}

function toNumber(given: unknown): unknown {
  if (given === undefined || typeof given === "number") return given;
  if (typeof given === "boolean") return given ? 1 : 0;
  if (typeof given !== "string" || !/^-?[0-9]+(\.[0-9]+)?$/.test(given)) return leaveIt();
  return checkNumber(Number.parseFloat(given));
}

/** Half goes to the even neighbour, as seen in the decimal digits. */
function round(given: number, places: unknown): number {
  if (places !== undefined && (typeof places !== "number" || !Number.isInteger(places) || Math.abs(places) > 15))
    return leaveIt();
  const digits = String(given);
  if (digits.includes("e")) return leaveIt();
  const shifted = places ? Number(`${digits}e${places}`) : given;
  const up = Math.round(shifted);
  const even = Math.abs(up - shifted) === 0.5 && Math.abs(up % 2) === 1 ? up - 1 : up;
  if (String(even).includes("e")) return leaveIt();
  const result = places ? Number(`${even}e${-places}`) : even;
  return result === 0 ? 0 : checkNumber(result);
}

function cutText([given, from, length]: unknown[], frame: Frame): unknown {
  if (given === undefined) return leaveIt();
  const characters = [...text(given, frame)];
  spend(frame, characters.length >> 3);
  const start = characters.length + number(from) < 0 ? 0 : number(from);
  if (length === undefined) return characters.slice(start).join("");
  if (number(length) <= 0) return "";
  return characters.slice(start, (start >= 0 ? start : characters.length + start) + number(length)).join("");
}

function splitText([given, separator]: unknown[], frame: Frame): unknown {
  if (given === undefined) return leaveIt();
  const parts = text(given, frame).split(text(separator, frame));
  spend(frame, parts.length);
  return parts;
}

function joinTexts([given, separator = ""]: unknown[], frame: Frame): unknown {
  if (given === undefined) return leaveIt();
  const parts = isList(given) ? given : [given];
  spend(frame, parts.length);
  const between = text(separator, frame);
  return checkText(parts.map((part) => text(part, frame)).join(between), frame);
}

function append([one, other]: unknown[], frame: Frame): unknown {
  if (one === undefined) return other;
  if (other === undefined) return one;
  const all = [...(isList(one) ? one : [one]), ...(isList(other) ? other : [other])];
  spend(frame, all.length);
  return all;
}

function merge(given: unknown, frame: Frame): unknown {
  if (given === undefined) return undefined;
  const merged: Record<string, unknown> = {};
  for (const item of isList(given) ? given : [given]) {
    const part = takeItem(item);
    if (!isObject(part)) return leaveIt();
    for (const key of keysOf(part, frame)) merged[key] = take(part[key]);
  }
  return merged;
}
