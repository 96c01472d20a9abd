import { checkNumber, checkText, type Frame, isEqual, isTrue, leaveIt, spend, toText } from "./interpreter-values.ts";

type Operator = (one: unknown, other: unknown, frame: Frame) => unknown;

export const operators: Readonly<Record<string, Operator>> = {
  "+": ofNumbers((one, other) => one + other),
  "-": ofNumbers((one, other) => one - other),
  "*": ofNumbers((one, other) => one * other),
  "/": ofNumbers((one, other) => one / other),
  "%": ofNumbers((one, other) => one % other),
  "=": (one, other, frame) => one !== undefined && other !== undefined && isEqual(one, other, frame),
  "!=": (one, other, frame) => one !== undefined && other !== undefined && !isEqual(one, other, frame),
  "<": ofComparable((one, other) => one < other),
  "<=": ofComparable((one, other) => one <= other),
  ">": ofComparable((one, other) => one > other),
  ">=": ofComparable((one, other) => one >= other),
  "&": (one, other, frame) =>
    checkText((one === undefined ? "" : toText(one, frame)) + (other === undefined ? "" : toText(other, frame)), frame),
  in: isIn,
};

/** `and` and `or` do not look at what stands behind when it cannot matter. */
export const lazyOperators: Readonly<Record<string, (one: boolean, other: () => boolean) => boolean>> = {
  and: (one, other) => one && other(),
  or: (one, other) => one || other(),
};

export const isTruthy = (value: unknown, frame: Frame): boolean => isTrue(value, frame) ?? false;

function ofNumbers(apply: (one: number, other: number) => number): Operator {
  return (one, other) => {
    if (![one, other].every((value) => value === undefined || typeof value === "number")) return leaveIt();
    return one === undefined || other === undefined ? undefined : checkNumber(apply(one as number, other as number));
  };
}

function ofComparable(apply: (one: string | number, other: string | number) => boolean): Operator {
  return (one, other) => {
    if (![one, other].every((value) => value === undefined || typeof value === "string" || typeof value === "number"))
      return leaveIt();
    if (one === undefined || other === undefined) return undefined;
    return typeof one === typeof other ? apply(one as string, other as string) : leaveIt();
  };
}

function isIn(one: unknown, other: unknown, frame: Frame): boolean {
  if (one === undefined || other === undefined) return false;
  // Which of two equal lists or objects is the same one is JSONata's affair.
  if (typeof one === "object" && one !== null) return leaveIt();
  const list = (Array.isArray(other) ? other : [other]) as unknown[];
  spend(frame, list.length);
  return list.includes(one);
}
