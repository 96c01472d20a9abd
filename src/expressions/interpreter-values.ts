/** What the interpreter knows while it evaluates one expression. */
export type Frame = {
  /** `$$`. */
  root: unknown;
  bindings: Record<string, unknown>;
  /** Of the budget of one evaluation. */
  stepsLeft: number;
};

/** JSONata's marks: a sequence of one is the one, of none is nothing, and the outer wrapper stands around a list that is the whole input. */
export type List = unknown[] & { isSequence?: true; isOuterWrapper?: true };

const longestText = 100_000;

// Thrown again and again, so it has no stack.
const notHere = Symbol("only JSONata itself knows");

/** Leaves the expression to JSONata: whatever is uncertain, fails or takes long. */
export function leaveIt(): never {
  throw notHere;
}

export const isLeft = (error: unknown): boolean => error === notHere;

export function spend(frame: Frame, steps = 1): void {
  frame.stepsLeft -= steps;
  if (frame.stepsLeft < 0) leaveIt();
}

/** A value of the data, if it is what would be there after a way as JSON. */
export function take(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : leaveIt();
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? value : takeObject(value);
  return value === undefined || value === null || typeof value === "string" || typeof value === "boolean"
    ? value
    : leaveIt();
}

type Marked = { _jsonata_function?: unknown; _jsonata_lambda?: unknown; toJSON?: unknown };

function takeObject(value: object): object {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) leaveIt();
  const { _jsonata_function, _jsonata_lambda, toJSON } = value as Marked;
  if (_jsonata_function !== undefined || _jsonata_lambda !== undefined || typeof toJSON === "function") leaveIt();
  return value;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The keys of an object, none of which has a value that JSON leaves out. */
export function keysOf(value: Record<string, unknown>, frame: Frame): string[] {
  const keys = Object.keys(value);
  spend(frame, keys.length);
  for (const key of keys) if (value[key] === undefined || key === "__proto__") leaveIt();
  return keys;
}

export function createSequence(...items: unknown[]): List {
  const list = items as List;
  list.isSequence = true;
  return list;
}

/** What a sequence is once it is a value. */
export function toValue(result: unknown): unknown {
  if (!Array.isArray(result) || !(result as List).isSequence) return result;
  if (result.length === 0) return undefined;
  return result.length === 1 ? (result[0] as unknown) : result;
}

export function lookUp(input: unknown, key: string, frame: Frame): unknown {
  spend(frame);
  if (!Array.isArray(input)) return isObject(input) && Object.hasOwn(input, key) ? take(input[key]) : undefined;
  const found = createSequence();
  for (const item of input) addAll(found, lookUp(takeItem(item), key, frame), frame);
  return found;
}

/** A list adds what is in it, and nothing adds nothing. */
export function addAll(list: unknown[], value: unknown, frame: Frame): void {
  spend(frame, Array.isArray(value) ? value.length : 1);
  if (Array.isArray(value)) for (const item of value) list.push(takeItem(item));
  else if (value !== undefined) list.push(value);
}

/** An entry of a list. JSON makes null of one that is not there. */
export const takeItem = (item: unknown): unknown => (item === undefined ? leaveIt() : take(item));

export function isTrue(value: unknown, frame: Frame): boolean | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) {
    spend(frame, value.length);
    return value.length === 1 ? isTrue(takeItem(value[0]), frame) : value.some((item) => isTrue(takeItem(item), frame));
  }
  return isObject(value) ? keysOf(value, frame).length > 0 : Boolean(value);
}

export function isEqual(one: unknown, other: unknown, frame: Frame): boolean {
  spend(frame);
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return (
      one.length === other.length && one.every((item, index) => isEqual(takeItem(item), takeItem(other[index]), frame))
    );
  if (isObject(one) && isObject(other)) return areEqualObjects(one, other, frame);
  const isListAndObject = (Array.isArray(one) && isObject(other)) || (isObject(one) && Array.isArray(other));
  return isListAndObject ? leaveIt() : false;
}

function areEqualObjects(one: Record<string, unknown>, other: Record<string, unknown>, frame: Frame): boolean {
  const keys = keysOf(one, frame);
  if (keys.length !== keysOf(other, frame).length || !keys.every((key) => Object.hasOwn(other, key))) return false;
  return keys.every((key) => isEqual(take(one[key]), take(other[key]), frame));
}

const roundNumber = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(15)));

/** As `$string` and `&` write a value. */
export function toText(value: unknown, frame: Frame): string {
  if (typeof value === "string") return checkText(value, frame);
  if (typeof value === "number") return JSON.stringify(roundNumber(checkNumber(value)));
  if (typeof value !== "object" || value === null) return String(value);
  if ((value as List).isOuterWrapper) leaveIt();
  const clean = toResult(value, frame);
  return checkText(
    JSON.stringify(clean, (_, one: unknown) => (typeof one === "number" ? roundNumber(one) : one)),
    frame,
  );
}

export function checkText(text: string, frame: Frame): string {
  if (text.length > longestText) leaveIt();
  spend(frame, text.length >> 6);
  return text;
}

export const checkNumber = (value: number): number => (Number.isFinite(value) ? value : leaveIt());

/** The value as it would come back as JSON and as records can hold it: without marks, and left to JSONata where anything would change. */
export function toResult(value: unknown, frame: Frame): unknown {
  spend(frame);
  if (typeof value === "string")
    return value.isWellFormed() && !value.includes("\0") ? checkText(value, frame) : leaveIt();
  if (Object.is(value, -0)) return 0;
  const taken = take(value);
  if (Array.isArray(taken)) {
    const items = taken.map((item) => toResult(item === undefined ? leaveIt() : item, frame));
    return items.every((item, index) => item === taken[index]) && !(taken as List).isSequence ? taken : items;
  }
  return isObject(taken) ? toResultObject(taken, frame) : taken;
}

function toResultObject(value: Record<string, unknown>, frame: Frame): Record<string, unknown> {
  const keys = keysOf(value, frame);
  if (!keys.every((key) => key.isWellFormed() && !key.includes("\0"))) leaveIt();
  const entries = keys.map((key) => [key, toResult(value[key], frame)] as const);
  return entries.every(([key, entry]) => entry === value[key]) ? value : Object.fromEntries(entries);
}
