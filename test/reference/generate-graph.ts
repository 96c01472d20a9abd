import fc from "fast-check";
import { isOverList, type ListSource, type Shape, type Test, type Value } from "./expressions.ts";
import { type Case, type Flow, type FlowNode, findAncestors, type Work, waysOf } from "./flow.ts";

/** Random workflows that may be saved: everything in them is drawn, and becomes less and smaller when a difference is narrowed down. */
export function generateCase(): fc.Arbitrary<Case> {
  const draft = fc.record({
    kind: fc.oneof(...kinds.map(({ weight, value }) => ({ weight, arbitrary: fc.constant(value) }))),
    sources: fc.oneof(
      { weight: 3, arbitrary: fc.array(source, { minLength: 1, maxLength: 1 }) },
      { weight: 2, arbitrary: fc.array(source, { minLength: 0, maxLength: 3 }) },
    ),
    dice: fc.array(fc.nat({ max: 59 }), { minLength: 6, maxLength: 6 }),
    settings,
    place: fc.nat({ max: 20 }),
  });
  const flow = (maxLength: number) => fc.array(draft, { minLength: 1, maxLength });
  const payload = fc.oneof(
    { weight: 3, arbitrary: fc.record({ number: fc.integer({ min: 0, max: 4 }) }) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom<unknown[]>("text", [{ number: 1 }], 5) },
  );
  return fc.record({ payload, drafts: fc.tuple(flow(8), flow(4), flow(3)) }).map(({ payload: given, drafts }) => ({
    payload: given,
    flows: drafts.map((one, index) => buildFlow(one, index)),
  }));
}

type Kind = Work["type"];
type Draft = {
  kind: Kind;
  sources: [number, number][];
  dice: number[];
  settings: FlowNode["settings"];
  place: number;
};

const source = fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 3 }));

// The first of each is what narrowing down leads to.
const kinds: { value: Kind; weight: number }[] = [
  { value: "set_fields", weight: 5 },
  { value: "start", weight: 1 },
  { value: "loop", weight: 6 },
  { value: "ask", weight: 8 },
  { value: "condition", weight: 4 },
  { value: "switch", weight: 4 },
  { value: "merge", weight: 5 },
  { value: "transform", weight: 4 },
  { value: "wait", weight: 4 },
  { value: "call_workflow", weight: 2 },
  { value: "stop", weight: 1 },
  { value: "filter", weight: 3 },
  { value: "sort_and_limit", weight: 2 },
  { value: "aggregate", weight: 2 },
  { value: "dedupe", weight: 2 },
];

const rarely = (weight: number) =>
  fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(false) }, { weight, arbitrary: fc.constant(true) });

const settings = fc.record({
  retries: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) }),
  retryDelay: fc.constantFrom(0, 1, 15),
  continueOnError: rarely(4),
  continueWhenEmpty: rarely(3),
  disabled: rarely(1),
});

const numberOfFlows = 3;

/** Nodes lead only from earlier to later ones, so there is no circle; their order on the canvas is another one. */
function buildFlow(drafts: Draft[], index: number): Flow {
  const built: { node: FlowNode; place: number }[] = [];
  for (const draft of drafts) {
    const earlier = built.map(({ node }) => node);
    const from = chooseSources(draft, earlier);
    const id = `${"abc"[index]}${built.length}`;
    const before = findAncestors([...earlier, { id, from }], id);
    const work = buildWork(draft, { isBeginning: from.length === 0, before, flow: index });
    // A workflow that is called twice asks for the same titles twice, and nobody could tell whose they are.
    const own = work.type === "call_workflow" ? { ...draft.settings, retries: 0 } : draft.settings;
    built.push({ node: { id, from, settings: own, work }, place: draft.place });
  }
  return built.toSorted((one, other) => one.place - other.place).map(({ node }) => node);
}

function chooseSources({ sources }: Draft, earlier: FlowNode[]): FlowNode["from"] {
  const possible = earlier.filter(({ work }) => waysOf(work).length > 0);
  const chosen = new Map<string, FlowNode["from"][number]>();
  for (const [place, way] of sources) {
    const node = possible[possible.length - 1 - (place % possible.length)];
    if (!node) break;
    const ways = waysOf(node.work);
    const one = { source: node.id, way: ways[way % ways.length] as string };
    chosen.set(`${one.source}.${one.way}`, one);
  }
  return [...chosen.values()];
}

type Place = { isBeginning: boolean; before: string[]; flow: number };

function buildWork({ kind, dice }: Draft, { isBeginning, before, flow }: Place): Work {
  const [first = 0, second = 0, third = 0, fourth = 0] = dice;
  switch (kind) {
    case "start":
      return { type: "start" };
    case "condition":
      return { type: "condition", test: chooseTest(first, second, before) };
    case "switch": {
      const tests = [chooseTest(first, second, before), chooseTest(third, fourth, before)].slice(0, 1 + (second % 2));
      return { type: "switch", rules: tests.map((test, rule) => ({ way: ["left", "right"][rule] as string, test })) };
    }
    case "filter":
      return { type: "filter", test: chooseTest(first, second, before) };
    case "sort_and_limit":
    case "aggregate":
    case "dedupe":
      return chooseListWork(kind, dice);
    case "merge":
      return isBeginning ? { type: "start" } : chooseMerge(dice);
    case "loop":
      return { type: "loop", ...chooseList(dice, before), ...(fourth < 10 ? { limit: 1 + (fourth % 3) } : {}) };
    case "set_fields":
      return { type: "set_fields", fields: chooseFields(dice, before), keepOthers: fourth < 50 };
    case "transform": {
      const shape = chooseShape(first, second);
      return { type: "transform", shape, over: isOverList(shape) ? "list" : "item" };
    }
    case "wait":
      return { type: "wait", milliseconds: second, isPast: first > 54 };
    case "call_workflow":
      if (flow === numberOfFlows - 1) return { type: "ask", per: "list", plan: "fine" };
      return {
        type: "call_workflow",
        flow: flow + 1 + (first % (numberOfFlows - 1 - flow)),
        payload: choosePayload(second, third),
      };
    case "stop":
      return { type: "stop", message: `Enough of ${first}.` };
    case "ask":
      return { type: "ask", per: first < 40 ? "item" : "list", plan: choosePlan(second) };
  }
}

const pick = <One>(from: readonly One[], number: number): One => from[number % from.length] as One;

function chooseTest(first: number, second: number, before: string[]): Test {
  if (first < 12) return { is: "above", than: second % 4 };
  if (first < 20) return { is: "row above", than: second % 4 };
  if (first < 25) return { is: "row odd or flag" };
  if (first < 40) return { is: "odd" };
  if (first < 45) return { is: "always", value: second % 2 === 0 };
  if (first < 50) return { is: "started above", than: second % 4 };
  if (first < 56 && before.length > 0) return { is: "counted", node: pick(before, second), than: second % 3 };
  return second < 15 ? { is: "a text" } : { is: "flag" };
}

const itemFields = ["number", "key", "flag", "item.number"];

function chooseListWork(
  kind: "sort_and_limit" | "aggregate" | "dedupe",
  [first = 0, second = 0, third = 0, fourth = 0]: number[],
): Work {
  const fields = itemFields.filter((_, place) => (first >> place) % 2 === 1);
  if (kind === "dedupe") return { type: "dedupe", by: fields, keep: pick(["first", "last"] as const, second) };
  if (kind === "aggregate") {
    const operation = pick(["sum", "count", "average", "min", "max"] as const, second);
    // Of nothing these are null, which no other node gives in this field and no expression here is made for.
    const name = operation === "sum" || operation === "count" ? "number" : "summary";
    const values = [
      { name, operation, field: "number" },
      { name: "all", operation: "collect" as const },
    ];
    return { type: "aggregate", groupBy: fields.filter((field) => !field.endsWith("number")), values };
  }
  const by = fields.map((field, place) => ({
    field,
    order: pick(["ascending", "descending"] as const, (second >> place) + third),
  }));
  return { type: "sort_and_limit", by, skip: third % 3, ...(fourth < 30 ? { limit: fourth % 4 } : {}) };
}

function chooseMerge([first = 0, second = 0, third = 0, fourth = 0]: number[]): Work {
  const mode = pick(["append", "position", "key"] as const, first);
  if (mode !== "key") return { type: "merge", mode };
  const join = pick(["outer", undefined, "left", "inner"] as const, third);
  const compare = pick(["strict", undefined, "loose"] as const, fourth);
  return {
    type: "merge",
    mode,
    key: pick(["number", "key", "title"], second),
    ...(join ? { join } : {}),
    ...(compare ? { compare } : {}),
  };
}

function chooseList([first = 0, second = 0, third = 0]: number[], before: string[]): { list?: ListSource } {
  const values = [second, third, first].map((die) => die % 4).slice(0, second % 4);
  if (first < 18) return { list: { is: "objects", values } };
  if (first < 30)
    return { list: { is: "objects", values: values.map((value, place) => (place === third % 3 ? null : value)) } };
  if (first < 38) return { list: { is: "numbers", values } };
  if (first < 42) return { list: { is: "payload" } };
  if (first < 48 && before.length > 0) return { list: { is: "items of", node: pick(before, second) } };
  return first < 52 ? { list: { is: "numbers that came in" } } : {};
}

function chooseFields([first = 0, second = 0, third = 0]: number[], before: string[]): Record<string, Value> {
  const numbers: Value[] = [
    { is: "constant", value: second % 5 },
    { is: "plus", by: 1 + (second % 2) },
    ...(before.length > 0
      ? ([
          { is: "first of", node: pick(before, second) },
          { is: "count of", node: pick(before, second) },
        ] as const)
      : []),
  ];
  return {
    ...(first < 30 ? { number: pick(numbers, third) } : {}),
    ...(first > 25 && first < 45
      ? {
          key: pick<Value>(
            [{ is: "constant", value: second % 2 }, { is: "parity" }, { is: "constant", value: `${second % 2}` }],
            third,
          ),
        }
      : {}),
    ...(first > 40 && first < 52 ? { flag: { is: "constant", value: second % 2 === 0 } } : {}),
    ...(first > 50 ? { label: { is: "sentence" } } : {}),
  };
}

const chooseShape = (first: number, second: number): Shape =>
  pick<Shape>(
    [
      { is: "twice" },
      { is: "even ones" },
      { is: "number" },
      { is: "above", than: second % 3 },
      { is: "sum" },
      { is: "backwards" },
    ],
    first,
  );

const choosePayload = (second: number, third: number): Extract<Work, { type: "call_workflow" }>["payload"] =>
  pick(["default", "default", "input", { number: third % 4 }] as const, second);

/** Mostly it works; now and then it fails a few times, always or for some of the items, and rarely there is no answer. */
function choosePlan(die: number): string {
  if (die < 36) return "fine";
  if (die < 48) return `fails-${1 + (die % 3)}`;
  if (die < 53) return "fails-odd";
  return die < 58 ? "fails-99" : "hangs";
}
