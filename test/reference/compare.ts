import { type FlowNode, findAncestors } from "./flow.ts";
import { endsRun, type NodeOutcome, type Outcome } from "./interpreter.ts";
import type { Heard } from "./outside.ts";

/** A run as it is read over the API, with those that it called. */
export type SeenRun = {
  status: string;
  error: { code: string; message: string; nodeId: string | null } | null;
  result: unknown[] | null;
  nodes: SeenNode[];
  trigger: { prompt: string };
  createdAt: string;
  completedAt: string | null;
  called: SeenRun[];
};

export type SeenNode = {
  id: string;
  status: string;
  attempts: number;
  outputs: unknown[] | null;
  ways: Record<string, number>;
  error: { code: string; message: string } | null;
  startedAt: string | null;
  completedAt: string | null;
};

/**
 * Where a run is not what it has to be, one line each. A run that succeeds is the same to the last item. In one that fails, other branches may have
 * come as far as they could: what there is of them has to be right.
 */
export function compare(expected: Outcome, seen: SeenRun, heard: readonly Heard[]): string[] {
  const place = (id: string) => `${expected.prompt}/${id}`;
  const nodes = new Map(seen.nodes.map((node) => [node.id, node]));
  return [
    ...compareEnd(expected, seen).map((difference) => `${expected.prompt}: ${difference}`),
    ...expected.flow.flatMap((node) => {
      const { id } = node;
      const one = nodes.get(id);
      if (!one) return [`${place(id)} is missing`];
      const outcome = expected.nodes.get(id) as NodeOutcome;
      const called = seen.called.filter(({ trigger }) => trigger.prompt === place(id));
      const differences = [
        ...compareNode(outcome, one, { node, isFailing: expected.status === "failed" }),
        ...compareRequests(outcome, one, { node, seen: titlesOf(heard, place(id)) }),
        ...compareTimes(node, one, nodes),
        ...compareCalls(outcome, one, called),
      ];
      return [
        ...differences.map((difference) => `${place(id)} (${node.work.type}): ${difference}`),
        ...(outcome.called
          ? called.flatMap((run) => compareCalled(outcome.called as Outcome, run, { heard, parent: seen }))
          : []),
      ];
    }),
    ...findRequestsTooEarly(expected, heard),
  ];
}

/** What the provider was asked more often than it may be, also of a run that does not come to its end. */
export function findSurplus(expected: Outcome, heard: readonly Heard[]): string[] {
  const left = requestsOf(expected);
  const surplus = heard.filter(({ title }) => {
    const place = left.indexOf(title);
    if (place !== -1) left.splice(place, 1);
    return place === -1;
  });
  return surplus.map(({ title }) => `${title} was asked at the provider too often`);
}

const requestsOf = ({ nodes }: Outcome): string[] =>
  [...nodes.values()].flatMap(({ requests, called }) => [...requests, ...(called ? requestsOf(called) : [])]);

function compareEnd(expected: Outcome, { status, result, error }: SeenRun): string[] {
  const culprits = expected.flow.filter((node) => endsRun(expected.nodes.get(node.id) as NodeOutcome, node));
  const culprit = culprits.find(({ id }) => id === error?.nodeId);
  const isRightError =
    culprits.length === 0
      ? error === null
      : error?.code === expected.nodes.get(culprit?.id ?? "")?.code && isRightMessage(culprit, error?.message ?? "");
  return [
    ...differ("is", status, expected.status),
    ...differ("has the result", withoutMessages(result), expected.result),
    ...(isRightError
      ? []
      : [`has the error ${JSON.stringify(error)}, not one of ${culprits.map(({ id }) => id).join(", ") || "none"}`]),
  ];
}

const isRightMessage = (culprit: FlowNode | undefined, message: string): boolean =>
  culprit?.work.type !== "stop" || message === culprit.work.message;

type NodeContext = { node: FlowNode; isFailing: boolean };

/** A node that was reached is as it has to be. When the run fails, it may also not have begun, or have been cut off while it waited. */
function compareNode(outcome: NodeOutcome, seen: SeenNode, { node, isFailing }: NodeContext): string[] {
  const wanted = outcome.status === "unreached" ? "skipped" : outcome.status;
  if (isFailing && seen.status !== wanted)
    return isCutOff(seen, outcome, node) ? [] : [`is ${seen.status}, not ${wanted} or cut off`];
  const status = differ("is", seen.status, wanted);
  if (status.length > 0 || wanted === "skipped") return status;
  const counts = Object.fromEntries([...outcome.ways].map(([way, items]) => [way, items.length]));
  return [
    ...differ("gave", withoutMessages(seen.outputs), [...outcome.ways.values()].flat()),
    ...differ("has the ways", sorted(withoutEmpty(seen.ways)), sorted(withoutEmpty(counts))),
    ...differ("took attempts", seen.attempts, outcome.attempts),
    ...differ("has the error", seen.error?.code ?? null, outcome.code),
  ];
}

/** Only what waits for something is cut off: what is under way comes to its end. */
function isCutOff({ status }: SeenNode, outcome: NodeOutcome, { work, settings }: FlowNode): boolean {
  if (outcome.status === "unreached" || outcome.status === "skipped") return false;
  const mayWait =
    work.type === "wait" || work.type === "call_workflow" || (work.type === "ask" && settings.retries > 0);
  return status === "skipped" || (status === "cancelled" && mayWait);
}

/** Each request exactly once; of a node that was cut off, the first so many. What is given up so early may never have reached the provider. */
function compareRequests(
  outcome: NodeOutcome,
  { status }: SeenNode,
  { node: { work }, seen }: { node: FlowNode; seen: string[] },
): string[] {
  const requests = status === "skipped" ? [] : outcome.requests;
  if (work.type === "ask" && work.plan === "hangs" && isPartOf(seen, requests)) return [];
  return differ("was asked at the provider", seen, status === "cancelled" ? requests.slice(0, seen.length) : requests);
}

function isPartOf(some: string[], all: string[]): boolean {
  const left = [...some];
  for (const one of all) if (one === left[0]) left.shift();
  return left.length === 0;
}

/** Nothing begins before that on which it builds has ended, and a wait takes its time. */
function compareTimes({ from, work }: FlowNode, seen: SeenNode, nodes: Map<string, SeenNode>): string[] {
  const begun = seen.startedAt;
  if (begun === null) return [];
  const early = from.flatMap(({ source }) => {
    const { startedAt, completedAt } = nodes.get(source) ?? { startedAt: null, completedAt: null };
    if (startedAt === null || (completedAt !== null && completedAt <= begun)) return [];
    return [`began at ${begun}, before ${source} ended at ${completedAt}`];
  });
  const isOver = work.type === "wait" && !work.isPast && seen.completedAt !== null;
  const tookMs = isOver ? Date.parse(seen.completedAt ?? "") - Date.parse(begun) : Number.POSITIVE_INFINITY;
  return [
    ...early,
    ...(work.type === "wait" && tookMs < work.milliseconds ? [`took ${tookMs} ms, not ${work.milliseconds}`] : []),
  ];
}

function compareCalls(
  { called }: NodeOutcome,
  { status, startedAt, completedAt }: SeenNode,
  seen: SeenRun[],
): string[] {
  const isOver = status === "succeeded" || status === "failed";
  const [fewest, most] = [isOver && called ? 1 : 0, status !== "skipped" && called ? 1 : 0];
  const early = seen.filter((run) => startedAt === null || run.createdAt < startedAt);
  const late = seen.filter((run) => isOver && (run.completedAt === null || run.completedAt > (completedAt ?? "")));
  return [
    ...(seen.length < fewest || seen.length > most ? [`called ${seen.length} runs, not ${called ? 1 : 0}`] : []),
    ...early.map((run) => `called a run at ${run.createdAt}, before it began at ${startedAt}`),
    ...late.map((run) => `ended at ${completedAt}, before the run that it called, at ${run.completedAt}`),
  ];
}

/** Whoever called a run may have failed meanwhile; then it may be cancelled. */
function compareCalled(
  expected: Outcome,
  run: SeenRun,
  { heard, parent }: { heard: readonly Heard[]; parent: SeenRun },
): string[] {
  return run.status === "cancelled" && parent.status === "failed" ? [] : compare(expected, run, heard);
}

/** Of the provider's own knowledge: all that a node asked, also through a workflow it called, was asked before what follows asked anything. */
function findRequestsTooEarly({ flow, prompt }: Outcome, heard: readonly Heard[]): string[] {
  const under = (id: string) => heard.filter(({ title }) => title.startsWith(`${prompt}/${id}/`)).map(({ at }) => at);
  return flow.flatMap(({ id }) => {
    const first = Math.min(...under(id));
    const late = findAncestors(flow, id).filter((source) => Math.max(...under(source)) > first);
    return late.map((source) => `${prompt}/${id} asked the provider before ${source} had asked for the last time`);
  });
}

const titlesOf = (heard: readonly Heard[], place: string): string[] =>
  heard
    .map(({ title }) => title)
    .filter((title) => title.startsWith(`${place}/`) && !title.slice(place.length + 1).includes("/"));

function differ(what: string, seen: unknown, expected: unknown): string[] {
  const [one, other] = [canonical(seen), canonical(expected)];
  return one === other ? [] : [`${what} ${one}, not ${other}`];
}

/** The same text for the same value, whatever the order of its keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one) ? sorted(one as Record<string, unknown>) : one,
  );

const sorted = <Value>(record: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));

const withoutEmpty = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

/** Which of several failures a called workflow fails with, and so its words, is not told; that there is one, and its code, is. */
function withoutMessages(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMessages);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === "error" ? { code: (one as { code: string }).code } : withoutMessages(one),
    ]),
  );
}
