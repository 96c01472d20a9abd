import { refuse } from "./refused.ts";

export type Item = Record<string, unknown>;

/** What expressions of a node see. */
export type Scope = {
  trigger: { prompt: string; payload: unknown };
  itemsOf: (id: string) => Item[];
  /** The incoming item, or all of them. */
  input: Item | Item[];
};

/** Gives true or false, unless it finds nothing or something else. */
export type Test =
  | { is: "above"; than: number }
  /** The same as rows. */
  | { is: "row above"; than: number }
  | { is: "row odd or flag" }
  | { is: "odd" }
  | { is: "always"; value: boolean }
  | { is: "started above"; than: number }
  | { is: "counted"; node: string; than: number }
  | { is: "a text" }
  | { is: "flag" };

export type Value =
  | { is: "constant"; value: number | boolean | string }
  | { is: "plus"; by: number }
  | { is: "parity" }
  | { is: "first of"; node: string }
  | { is: "count of"; node: string }
  | { is: "sentence" };

export type ListSource =
  | { is: "numbers"; values: number[] }
  /** Each with a number, or without. */
  | { is: "objects"; values: (number | null)[] }
  | { is: "payload" }
  | { is: "items of"; node: string }
  | { is: "numbers that came in" };

export type Shape =
  | { is: "twice" }
  | { is: "even ones" }
  | { is: "number" }
  /** These take the whole list. */
  | { is: "backwards" }
  | { is: "above"; than: number }
  | { is: "sum" };

export const isOverList = ({ is }: Shape): boolean => ["backwards", "above", "sum"].includes(is);

const numberOf = (item: unknown): number | undefined => (item as { number?: number } | null)?.number;
const numbersOf = (input: Scope["input"]): number[] => [input].flat().flatMap((item) => numberOf(item) ?? []);

const toObject = (number: number | null): Item => (number === null ? { nothing: true } : { number });

export function textOfTest(test: Test): unknown {
  switch (test.is) {
    case "row above":
      return { match: "all", rows: [{ field: "$input.number", operator: "is_more_than", value: test.than }] };
    case "row odd or flag":
      return {
        match: "any",
        rows: [{ field: "$input.flag", operator: "is_true" }],
        groups: [{ match: "all", rows: [{ field: "$input.number", operator: "is_one_of", value: [1, 3, 5, 7] }] }],
      };
    case "above":
      return `$input.number > ${test.than}`;
    case "odd":
      return "{{ $input.number % 2 = 1 }}";
    case "always":
      return String(test.value);
    case "started above":
      return `$trigger.payload.number > ${test.than}`;
    case "counted":
      return `$count($nodes.${test.node}.items) > ${test.than}`;
    case "a text":
      return `"no. " & $input.number`;
    case "flag":
      return "$input.flag";
  }
}

/** Comparing with what is not there is neither true nor false, but being equal to it is false. */
export function valueOfTest(test: Test, scope: Scope): unknown {
  const { input, trigger, itemsOf } = scope;
  const isAbove = (value: number | undefined, than: number) => (value === undefined ? null : value > than);
  switch (test.is) {
    case "above":
      return isAbove(numberOf(input), test.than);
    case "row above":
      return (numberOf(input) ?? Number.NEGATIVE_INFINITY) > test.than;
    case "row odd or flag":
      return (input as Item).flag === true || [1, 3, 5, 7].includes(numberOf(input) ?? 0);
    case "odd":
      return (numberOf(input) ?? 0) % 2 === 1;
    case "always":
      return test.value;
    case "started above": {
      const [number, ...more] = [trigger.payload].flat().flatMap((one) => numberOf(one) ?? []);
      return more.length > 0 ? refuse("validation_failed") : isAbove(number, test.than);
    }
    case "counted":
      return itemsOf(test.node).length > test.than;
    case "a text":
      return `no. ${numberOf(input) ?? ""}`;
    case "flag":
      return (input as Item).flag ?? null;
  }
}

export function textOfValue(value: Value): unknown {
  switch (value.is) {
    case "constant":
      return value.value;
    case "plus":
      return `{{ $input.number + ${value.by} }}`;
    case "parity":
      return "{{ $input.number % 2 }}";
    case "first of":
      return `$nodes.${value.node}.first.number`;
    case "count of":
      return `{{ $count($nodes.${value.node}.items) }}`;
    case "sentence":
      return "No. {{ $input.number }} of {{ $trigger.prompt }}";
  }
}

export function valueOfValue(value: Value, { input, trigger, itemsOf }: Scope): unknown {
  const number = () => numberOf(input) ?? refuse("reference_unresolved");
  switch (value.is) {
    case "constant":
      return value.value;
    case "plus":
      return number() + value.by;
    case "parity":
      return number() % 2;
    case "first of":
      return numberOf(itemsOf(value.node)[0]) ?? refuse("reference_unresolved");
    case "count of":
      return itemsOf(value.node).length;
    case "sentence":
      return `No. ${number()} of ${trigger.prompt}`;
  }
}

export function textOfList(list: ListSource): string {
  switch (list.is) {
    case "numbers":
      return JSON.stringify(list.values);
    case "objects":
      return JSON.stringify(list.values.map(toObject));
    case "payload":
      return "$trigger.payload.items";
    case "items of":
      return `$nodes.${list.node}.items`;
    case "numbers that came in":
      return "$input.number";
  }
}

export function valueOfList(list: ListSource, { input, trigger, itemsOf }: Scope): unknown[] {
  switch (list.is) {
    case "numbers":
      return list.values;
    case "objects":
      return list.values.map(toObject);
    case "payload":
      return payloadItems(trigger.payload);
    case "items of":
      return itemsOf(list.node);
    case "numbers that came in":
      return numbersOf(input);
  }
}

/** A name is looked up in each element of a list; what is found nowhere is nothing. */
const payloadItems = (payload: unknown): unknown[] =>
  [payload].flat().flatMap((one) => (one as { items?: unknown[] } | null)?.items ?? []);

export function textOfShape(shape: Shape): string {
  switch (shape.is) {
    case "twice":
      return "[$input, $input]";
    case "even ones":
      return "$input.number % 2 = 1 ? null : $input";
    case "number":
      return "$input.number";
    case "backwards":
      return "$reverse($input)";
    case "above":
      return `$input[number > ${shape.than}]`;
    case "sum":
      return `{ "number": $sum($input.number) }`;
  }
}

export function valueOfShape(shape: Shape, { input }: Scope): unknown[] {
  const list = [input].flat();
  const numbers = numbersOf(input);
  switch (shape.is) {
    case "twice":
      return [input, input];
    case "even ones":
      return (numberOf(input) ?? 0) % 2 === 1 ? [] : [input];
    case "number":
      return numbers;
    case "backwards":
      return list.toReversed();
    case "above":
      return list.filter((item) => (numberOf(item) ?? Number.NEGATIVE_INFINITY) > shape.than);
    case "sum":
      return [numbers.length > 0 ? { number: numbers.reduce((sum, number) => sum + number, 0) } : {}];
  }
}
