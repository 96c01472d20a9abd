import { type Item, type Scope, valueOfList, valueOfShape, valueOfTest, valueOfValue } from "./expressions.ts";
import { type Case, type Flow, type FlowNode, type MergeWork, mapValues, onlyWay, waysOf } from "./flow.ts";
import { aggregateItems, removeDuplicates, sortItems } from "./lists.ts";
import { answerOf } from "./outside.ts";
import { attempt, refuse } from "./refused.ts";

/** What has to come out of a run. It says nothing about time: what happens before a failure ends the run is the engine's choice. */
export type Outcome = {
  flow: Flow;
  prompt: string;
  status: "succeeded" | "failed";
  result: Item[] | null;
  nodes: Map<string, NodeOutcome>;
};

export type NodeOutcome = {
  /** `unreached` comes after a node with which the run fails. */
  status: "succeeded" | "failed" | "skipped" | "unreached";
  attempts: number;
  code: string | null;
  ways: Map<string, Item[]>;
  /** Titles at the provider, in order, without those of a called workflow. */
  requests: string[];
  /** The run that it called. */
  called: Outcome | null;
};

export type Trigger = { prompt: string; payload: unknown };

/** A run of one of the workflows, worked out node by node as the documents say. */
export function interpret(flows: Case["flows"], index: number, trigger: Trigger): Outcome {
  const flow = flows[index] ?? [];
  const nodes = new Map<string, NodeOutcome>();
  const byId = new Map(flow.map((node) => [node.id, node]));

  function outcomeOf(id: string): NodeOutcome {
    const known = nodes.get(id);
    if (known) return known;
    const outcome = visit(byId.get(id) as FlowNode);
    nodes.set(id, outcome);
    return outcome;
  }

  function visit(node: FlowNode): NodeOutcome {
    const isOver = ({ source }: { source: string }) =>
      outcomeOf(source).status === "unreached" || endsRun(outcomeOf(source), byId.get(source) as FlowNode);
    if (node.from.map(isOver).some(Boolean)) return { ...untouched, status: "unreached" };
    const branches = collectBranches(node, outcomeOf);
    const items = node.from.length === 0 ? [toRootItem(trigger.payload)] : branches.flat();
    const continues = node.from.some((edge) =>
      continuesAlong(edge, outcomeOf(edge.source), byId.get(edge.source) as FlowNode),
    );
    if (items.length === 0 && !continues) return untouched;
    // What is switched off lets everything pass, on the first of its ways.
    if (node.settings.disabled) return { ...untouched, ways: new Map([[waysOf(node.work)[0] ?? onlyWay, items]]) };
    return execute(node, { flows, trigger, items, branches, itemsOf: (id) => itemsFrom(outcomeOf(id)) });
  }

  for (const { id } of flow) outcomeOf(id);
  const hasFailed = flow.some((node) => endsRun(outcomeOf(node.id), node));
  const ends = flow.filter(({ id }) => !flow.some(({ from }) => from.some(({ source }) => source === id)));
  const given = ends.flatMap(({ id }) => itemsFrom(outcomeOf(id)));
  return {
    flow,
    prompt: trigger.prompt,
    status: hasFailed ? "failed" : "succeeded",
    result: hasFailed ? null : given,
    nodes,
  };
}

/** A stop stops, whatever its settings say. */
export const endsRun = ({ status, code }: NodeOutcome, { settings }: FlowNode): boolean =>
  status === "failed" && (!settings.continueOnError || code === "stopped_by_workflow");

const untouched: NodeOutcome = {
  status: "skipped",
  attempts: 0,
  code: null,
  ways: new Map(),
  requests: [],
  called: null,
};

/** An empty list is passed on by a node that says so, or by a disabled one that got it. */
const continuesAlong = ({ way }: { way: string }, { status, ways }: NodeOutcome, { settings }: FlowNode): boolean =>
  settings.disabled ? ways.has(way) : settings.continueWhenEmpty && status !== "skipped";

/** What came out of a node on any way. */
const itemsFrom = ({ ways }: NodeOutcome): Item[] => [...ways.values()].flat();

/** Incoming items by edge. */
const collectBranches = ({ from }: FlowNode, outcomeOf: (id: string) => NodeOutcome): Item[][] =>
  from.map(({ source, way }) => outcomeOf(source).ways.get(way) ?? []);

function toRootItem(payload: unknown): Item {
  if (payload === null) return {};
  return toItem(payload);
}

const toItem = (value: unknown): Item =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Item) : { value };

type FlowContext = Pick<Scope, "trigger" | "itemsOf"> & { flows: Flow[]; items: Item[]; branches: Item[][] };

/** For which a node tries again; the others would only fail again. */
const mayPass = new Set(["provider_error", "tool_timeout"]);

/** What an execution gave, or the code with which it was refused. */
type Done = { given: Record<string, Item[]> } | { refused: string };

/**
 * Once for each item or once for all of them. Those that fail and may try again do so when the others are done, each as often as the retries say;
 * one that fails for good ends the node where the run fails with it. What the others gave counts, in the order of the items.
 */
function execute(node: FlowNode, context: FlowContext): NodeOutcome {
  const outcome: NodeOutcome = {
    status: "succeeded",
    attempts: 0,
    code: null,
    ways: new Map(),
    requests: [],
    called: null,
  };
  const inputs = isPerItem(node) ? context.items : [context.items];
  const done = new Map<number, Done>();
  let open = [...inputs.keys()];
  while (open.length > 0 && !endOf(node, done)) {
    outcome.attempts += 1;
    open = open.filter((place) => {
      if (endOf(node, done)) return false;
      const one = attempt(() => executeOnce(node, inputs[place] as Item | Item[], context, outcome));
      const isAgain = "refused" in one && mayPass.has(one.refused) && outcome.attempts <= node.settings.retries;
      if (!isAgain) done.set(place, one);
      return isAgain;
    });
  }
  for (const place of inputs.keys()) addDone(outcome, node, { input: inputs[place], done: done.get(place) });
  const end = endOf(node, done);
  return end === undefined ? outcome : { ...outcome, status: "failed", code: end };
}

/** The code that the run fails with. */
const endOf = (node: FlowNode, done: ReadonlyMap<number, Done>): string | undefined =>
  [...done.values()].flatMap((one) => ("refused" in one && failsWith(node, one.refused) ? [one.refused] : []))[0];

const failsWith = (node: FlowNode, code: string): boolean => endsRun({ ...untouched, status: "failed", code }, node);

/** An item that failed is passed on with its error, unless the run fails with it. */
function addDone(
  outcome: NodeOutcome,
  node: FlowNode,
  { input, done }: { input: Item | Item[] | undefined; done: Done | undefined },
): void {
  if (!done) return;
  if ("given" in done) addTo(outcome.ways, done.given);
  if ("given" in done || failsWith(node, done.refused)) return;
  Object.assign(outcome, { status: "failed", code: done.refused });
  const errorWay = waysOf(node.work).at(-1) ?? onlyWay;
  addTo(outcome.ways, { [errorWay]: [{ error: { code: done.refused }, ...(isPerItem(node) ? { item: input } : {}) }] });
}

function addTo(ways: Map<string, Item[]>, given: Record<string, Item[]>): void {
  for (const [way, items] of Object.entries(given)) ways.set(way, [...(ways.get(way) ?? []), ...items]);
}

function isPerItem({ work }: FlowNode): boolean {
  if (work.type === "transform") return work.over === "item";
  if (work.type === "ask") return work.per === "item";
  return ["condition", "switch", "set_fields", "filter"].includes(work.type);
}

/** What one execution gives, by way. Asking outside and calling are noted in the outcome. */
function executeOnce(
  node: FlowNode,
  input: Item | Item[],
  context: FlowContext,
  outcome: NodeOutcome,
): Record<string, Item[]> {
  const { work } = node;
  const { items, branches, trigger, itemsOf } = context;
  const scope: Scope = { trigger, itemsOf, input };
  const item = input as Item;
  switch (work.type) {
    case "start":
    case "wait":
      return { [onlyWay]: items };
    case "condition":
      return { [String(toBoolean(valueOfTest(work.test, scope)))]: [item] };
    case "filter":
      return { [onlyWay]: toBoolean(valueOfTest(work.test, scope)) ? [item] : [] };
    case "sort_and_limit":
      return { [onlyWay]: sortItems(work, items) };
    case "aggregate":
      return { [onlyWay]: aggregateItems(work, items) };
    case "dedupe":
      return { [onlyWay]: removeDuplicates(work, items) };
    case "switch": {
      // All of its parameters have to be right, also those of rules after the first that holds.
      const holding = work.rules.map(({ way, test }) => ({ way, value: valueOfTest(test, scope) }));
      return { [holding.filter(({ value }) => toBoolean(value))[0]?.way ?? "otherwise"]: [item] };
    }
    case "merge":
      return { [onlyWay]: mergeItems(work, branches) };
    case "loop":
      return { [onlyWay]: (work.list ? valueOfList(work.list, scope).map(toItem) : items).slice(0, work.limit) };
    case "set_fields":
      return {
        [onlyWay]: [
          { ...(work.keepOthers ? item : {}), ...mapValues(work.fields, (value) => valueOfValue(value, scope)) },
        ],
      };
    case "transform":
      return { [onlyWay]: valueOfShape(work.shape, scope).map(toItem) };
    case "call_workflow":
      return { [onlyWay]: callFlow(node, work, context, outcome) };
    case "stop":
      return refuse("stopped_by_workflow");
    case "ask":
      return { [onlyWay]: [askOutside(node, work, scope, outcome)] };
  }
}

/** A condition on nothing is false. */
const toBoolean = (value: unknown): boolean =>
  typeof value === "boolean" ? value : value === null ? false : refuse("validation_failed");

function mergeItems(work: MergeWork, branches: Item[][]): Item[] {
  if (work.mode === "append") return branches.flat();
  if (work.mode === "position") {
    const longest = Math.max(...branches.map(({ length }) => length));
    return Array.from({ length: longest }, (_, index) => Object.assign({}, ...branches.map((items) => items[index])));
  }
  if (work.key === undefined) return refuse("validation_failed");
  const [first = [], ...others] = branches;
  return others.reduce((left, right) => joinTwo(left, right, work), first);
}

/** Each of the left with each of the right that has the same key. */
function joinTwo(left: Item[], right: Item[], { key = "", join = "outer", compare }: MergeWork): Item[] {
  const isSame = (one: unknown, other: unknown) =>
    one !== undefined &&
    (compare === "loose" ? String(one) === String(other) : JSON.stringify(one) === JSON.stringify(other));
  const partnersOf = (item: Item, others: Item[]) => others.filter((other) => isSame(item[key], other[key]));
  const joined = left.flatMap((item) => {
    const partners = partnersOf(item, right);
    return partners.length === 0 && join !== "inner" ? [item] : partners.map((partner) => ({ ...item, ...partner }));
  });
  return join === "outer" ? [...joined, ...right.filter((item) => partnersOf(item, left).length === 0)] : joined;
}

type CallWork = Extract<FlowNode["work"], { type: "call_workflow" }>;

function callFlow(
  { id }: FlowNode,
  work: CallWork,
  { flows, trigger, items }: FlowContext,
  outcome: NodeOutcome,
): Item[] {
  const payloads = { default: { items }, input: items };
  const payload = typeof work.payload === "string" ? payloads[work.payload] : work.payload;
  outcome.called = interpret(flows, work.flow, { prompt: `${trigger.prompt}/${id}`, payload });
  return outcome.called.result ?? refuse("workflow_failed");
}

type AskWork = Extract<FlowNode["work"], { type: "ask" }>;

function askOutside(
  { id }: FlowNode,
  { per, plan }: AskWork,
  { input, trigger }: Scope,
  { requests }: NodeOutcome,
): Item {
  const about = per === "item" ? ((input as Item).number ?? refuse("reference_unresolved")) : "once";
  const title = `${trigger.prompt}/${id}/${about}`;
  requests.push(title);
  const answer = answerOf(plan, title, requests.filter((other) => other === title).length);
  if (answer === "hangs") return refuse("tool_timeout");
  return answer === "fails" ? refuse("provider_error") : answer;
}
