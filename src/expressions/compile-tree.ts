import { builtIns } from "./interpreter-functions.ts";
import { isTruthy, lazyOperators, operators } from "./interpreter-operators.ts";
import {
  addAll,
  checkNumber,
  createSequence,
  type Frame,
  isTrue,
  type List,
  leaveIt,
  lookUp,
  spend,
  take,
  takeItem,
  toValue,
} from "./interpreter-values.ts";

/** A node of JSONata's syntax tree, as far as it is known here. */
type Node = {
  type: string;
  value?: unknown;
  steps?: Node[];
  stages?: { type: string; expr: Node }[];
  predicate?: { type: string; expr: Node }[];
  expressions?: Node[];
  expression?: Node;
  lhs?: unknown;
  rhs?: Node;
  condition?: Node;
  then?: Node;
  else?: Node;
  procedure?: Node;
  arguments?: Node[];
};

/** What a part of an expression is for an input. */
export type Meaning = (input: unknown, frame: Frame) => unknown;

const mostNodes = 200;

/** The meaning of a syntax tree; undefined where it has anything in it that only JSONata knows. */
export function compileTree(tree: unknown): Meaning | undefined {
  try {
    return createCompile()(tree as Node);
  } catch (error) {
    if (error === unknownNode) return undefined;
    throw error;
  }
}

const unknownNode = Symbol("not known here");
const refuseNode = (): never => {
  throw unknownNode;
};

// Each of these changes what a node means in a way that is not known here.
const foreignMarks = [
  "keepArray",
  "keepSingletonArray",
  "consarray",
  "tuple",
  "focus",
  "index",
  "ancestor",
  "seekingParent",
  "group",
];

function createCompile() {
  let nodesLeft = mostNodes;

  const kinds: Record<string, (node: Node) => Meaning> = {
    string: ({ value }) => compileText(value),
    number:
      ({ value }) =>
      () =>
        value,
    value:
      ({ value }) =>
      () =>
        value,
    name:
      ({ value }) =>
      (input, frame) =>
        lookUp(input, value as string, frame),
    variable: compileVariable,
    path: (node) => compilePath(node, compile),
    binary: ({ value, lhs, rhs }) => compileBinary(String(value), compile(lhs as Node), compile(rhs ?? refuseNode())),
    unary: (node) => compileUnary(node, compile),
    condition: (node) => compileCondition(node, compile),
    block: ({ expressions = [] }) => compileBlock(expressions.map(compile)),
    function: ({ procedure, arguments: given = [] }) => compileCall(procedure ?? refuseNode(), given.map(compile)),
    apply({ lhs, rhs }) {
      if (rhs?.type !== "function" || rhs.predicate) return refuseNode();
      return compileCall(rhs.procedure ?? refuseNode(), [compile(lhs as Node), ...(rhs.arguments ?? []).map(compile)]);
    },
  };

  function compile(node: Node): Meaning {
    nodesLeft -= 1;
    const kind = Object.hasOwn(kinds, node.type) ? kinds[node.type] : undefined;
    if (!kind || nodesLeft < 0 || foreignMarks.some((mark) => (node as Record<string, unknown>)[mark] !== undefined))
      return refuseNode();
    const meaning = kind(node);
    const filters = (node.predicate ?? []).map((predicate) => compileFilter(predicate, compile));
    return (input, frame) => {
      spend(frame);
      let result = meaning(input, frame);
      for (const filter of filters) result = filter(result, frame);
      return toValue(result);
    };
  }
  return compile;
}

type Compile = (node: Node) => Meaning;

function compileText(value: unknown): Meaning {
  if (typeof value !== "string" || !value.isWellFormed() || value.includes("\0")) return refuseNode();
  return () => value;
}

function compileVariable({ value }: Node): Meaning {
  const name = String(value);
  if (name === "")
    return (input) => ((input as List | undefined)?.isOuterWrapper ? takeItem((input as List)[0]) : input);
  if (name === "$") return (_, { root }) => take(root);
  return (_, { bindings }) => (Object.hasOwn(bindings, name) ? take(bindings[name]) : leaveIt());
}

function compilePath({ steps = [] }: Node, compile: Compile): Meaning {
  const isAbsolute = steps[0]?.type === "variable";
  const compiled = steps.map((step, index) => compileStep(step, compile, index === steps.length - 1));
  return (input, frame) => {
    let items = Array.isArray(input) && !isAbsolute ? (input as unknown[]) : createSequence(input);
    for (const step of compiled) {
      items = step(items, frame);
      if (items.length === 0) break;
    }
    return items;
  };
}

function compileStep(step: Node, compile: Compile, isLast: boolean): (items: unknown[], frame: Frame) => unknown[] {
  const meaning = compile(step);
  const filters = (step.stages ?? []).map((stage) => compileFilter(stage, compile));
  const filterAll = (value: unknown, frame: Frame): unknown =>
    filters.reduce((kept, filter) => filter(kept, frame), value);
  return (items, frame) => {
    const results = items
      .map((item) => filterAll(meaning(take(item), frame), frame))
      .filter((result) => result !== undefined);
    return isLast && results.length === 1 && isPlainList(results[0]) ? results[0] : flatten(results, frame);
  };
}

const isPlainList = (value: unknown): value is unknown[] => Array.isArray(value) && !(value as List).isSequence;

function flatten(results: unknown[], frame: Frame): List {
  const flat = createSequence();
  for (const result of results) addAll(flat, result, frame);
  return flat;
}

function compileFilter({ type, expr }: { type: string; expr: Node }, compile: Compile): Meaning {
  if (type !== "filter") return refuseNode();
  if (expr.type === "number") return (input) => pick(toList(input), Math.floor(Number(expr.value)));
  const predicate = compile(expr);
  return (input, frame) => {
    const list = toList(input);
    const kept = createSequence();
    for (const [index, item] of list.entries()) {
      const wanted = predicate(take(item), frame);
      if (!isWanted(wanted, { index, length: list.length }, frame)) continue;
      kept.push(takeItem(item));
    }
    return kept;
  };
}

const toList = (input: unknown): unknown[] => (Array.isArray(input) ? (input as unknown[]) : createSequence(input));

function pick(list: unknown[], position: number): unknown {
  const item = take(list.at(position < -list.length ? list.length : position));
  if (item === undefined) return createSequence();
  return Array.isArray(item) ? item : createSequence(item);
}

/** A number is a position, a list of numbers several of them, everything else true or not. */
function isWanted(wanted: unknown, { index, length }: { index: number; length: number }, frame: Frame): boolean {
  const isAt = (position: number): boolean => {
    const whole = Math.floor(checkNumber(position));
    return (whole < 0 ? length + whole : whole) === index;
  };
  if (typeof wanted === "number") return isAt(wanted);
  if (!Array.isArray(wanted)) return isTruthy(wanted, frame);
  spend(frame, wanted.length);
  if (!wanted.every((one) => typeof one === "number")) return isTruthy(wanted, frame);
  // One that is named twice is there twice.
  const times = wanted.filter(isAt).length;
  return times > 1 ? leaveIt() : times === 1;
}

function compileBinary(sign: string, one: Meaning, other: Meaning): Meaning {
  const lazy = Object.hasOwn(lazyOperators, sign) ? lazyOperators[sign] : undefined;
  if (lazy)
    return (input, frame) => lazy(isTruthy(one(input, frame), frame), () => isTruthy(other(input, frame), frame));
  const operator = Object.hasOwn(operators, sign) ? operators[sign] : undefined;
  if (!operator) return refuseNode();
  return (input, frame) => operator(one(input, frame), other(input, frame), frame);
}

function compileUnary({ value, expression, expressions = [], lhs }: Node, compile: Compile): Meaning {
  if (value === "[")
    return compileList(expressions.map((item) => ({ meaning: compile(item), isList: item.value === "[" })));
  if (value === "{")
    return compileObject((lhs as [Node, Node][]).map(([key, entry]) => [compile(key), compile(entry)]));
  if (value !== "-") return refuseNode();
  const meaning = compile(expression ?? refuseNode());
  return (input, frame) => {
    const result = meaning(input, frame);
    if (result === undefined) return undefined;
    return typeof result === "number" ? -result : leaveIt();
  };
}

function compileList(items: { meaning: Meaning; isList: boolean }[]): Meaning {
  return (input, frame) => {
    const list: unknown[] = [];
    for (const { meaning, isList } of items) {
      const value = meaning(input, frame);
      if (isList) list.push(value);
      else addAll(list, value, frame);
    }
    return list;
  };
}

function compileObject(pairs: [Meaning, Meaning][]): Meaning {
  return (input, frame) => {
    // A list of several is grouped by the keys, and an empty one is changed.
    if (Array.isArray(input) && input.length !== 1) return leaveIt();
    const item = Array.isArray(input) ? takeItem(input[0]) : input;
    const named = pairs
      .map(([key, entry]) => ({ name: key(item, frame), entry }))
      .filter(({ name }) => name !== undefined);
    if (new Set(named.map(({ name }) => name)).size < named.length || !named.every(({ name }) => isUsualKey(name)))
      return leaveIt();
    const entries = named.map(({ name, entry }) => [name as string, entry(item, frame)] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  };
}

const isUsualKey = (name: unknown): boolean => typeof name === "string" && !/^(__proto__$|_jsonata_)/.test(name);

function compileCondition({ condition, then: yes, else: no }: Node, compile: Compile): Meaning {
  const isMet = compile(condition ?? refuseNode());
  const met = compile(yes ?? refuseNode());
  const unmet = no ? compile(no) : () => undefined;
  return (input, frame) => (isTrue(isMet(input, frame), frame) ? met : unmet)(input, frame);
}

function compileBlock(expressions: Meaning[]): Meaning {
  return (input, frame) => {
    let result: unknown;
    for (const expression of expressions) result = expression(input, frame);
    return result;
  };
}

function compileCall({ type, value, predicate }: Node, given: Meaning[]): Meaning {
  const name = String(value);
  const builtIn = type === "variable" && !predicate && Object.hasOwn(builtIns, name) ? builtIns[name] : undefined;
  if (!builtIn || given.length < builtIn.least || given.length > builtIn.most) return refuseNode();
  return (input, frame) => {
    if (Object.hasOwn(frame.bindings, name)) leaveIt();
    return builtIn.apply(
      given.map((argument) => argument(input, frame)),
      frame,
    );
  };
}
