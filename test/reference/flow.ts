import type { CanvasEdge, CanvasNode } from "../../src/workflows/wire.ts";
import type { ListSource, Shape, Test, Value } from "./expressions.ts";
import { textOfList, textOfShape, textOfTest, textOfValue } from "./expressions.ts";

/** A workflow as tests think of it: only what the documents name, and of expressions only forms whose value is obvious. */
export type Flow = FlowNode[];

export type FlowNode = { id: string; from: { source: string; way: string }[]; settings: Settings; work: Work };

export type Settings = {
  retries: number;
  retryDelay: number;
  continueOnError: boolean;
  continueWhenEmpty: boolean;
  disabled: boolean;
};

export type Work =
  | { type: "start" }
  | { type: "condition"; test: Test }
  | { type: "filter"; test: Test }
  | SortWork
  | AggregateWork
  | { type: "dedupe"; by: string[]; keep: "first" | "last" }
  | { type: "switch"; rules: { way: string; test: Test }[] }
  | MergeWork
  | { type: "loop"; list?: ListSource; limit?: number }
  | { type: "set_fields"; fields: Record<string, Value>; keepOthers: boolean }
  | { type: "transform"; over: "item" | "list"; shape: Shape }
  | { type: "wait"; milliseconds: number; isPast: boolean }
  | { type: "call_workflow"; flow: number; payload: "default" | "input" | { number: number } }
  | { type: "stop"; message: string }
  /** A tool that asks the provider, once for each item or once for all; `plan` says how the provider answers. */
  | { type: "ask"; per: "item" | "list"; plan: string };

export type MergeWork = {
  type: "merge";
  mode: "append" | "position" | "key";
  key?: string;
  join?: "outer" | "left" | "inner";
  compare?: "strict" | "loose";
};

export type SortWork = {
  type: "sort_and_limit";
  by: { field: string; order: "ascending" | "descending" }[];
  skip: number;
  limit?: number;
};

export type AggregateWork = {
  type: "aggregate";
  groupBy: string[];
  values: { name: string; operation: "count" | "sum" | "average" | "min" | "max" | "collect"; field?: string }[];
};

/** Several workflows of which the first is started; one calls only those after it. */
export type Case = { payload: unknown; flows: Flow[] };

export const onlyWay = "out";

/** The ways out of a node, in the order of the documents: what stands for "none of the others" is the last one. */
export function waysOf(work: Work): string[] {
  if (work.type === "condition") return ["true", "false"];
  if (work.type === "switch") return [...work.rules.map(({ way }) => way), "otherwise"];
  return work.type === "stop" ? [] : [onlyWay];
}

/** All that comes before a node. */
export function findAncestors(flow: readonly Pick<FlowNode, "id" | "from">[], id: string): string[] {
  const sources = flow.find((node) => node.id === id)?.from.map(({ source }) => source) ?? [];
  return [...new Set(sources.flatMap((source) => [source, ...findAncestors(flow, source)]))].toSorted();
}

/**
 * How long the provider may take before a node whose provider never answers gives up. Such a node may repeat what it asked: otherwise it would depend on
 * how far it came in that time whether it tries again.
 */
const patienceMs = 60;

/** The canvas that is saved; `workflowIds` are those of the other flows. */
export function toCanvas(flow: Flow, workflowIds: readonly string[]): { nodes: CanvasNode[]; edges: CanvasEdge[] } {
  const nodes = flow.map(({ id, work, settings }): CanvasNode => {
    const timeout =
      work.type === "ask" && work.plan === "hangs" ? { timeout: patienceMs, repeatAfterInterruption: true } : {};
    return {
      id,
      nodeId: work.type === "ask" ? "github_create_issue" : work.type,
      parameters: toParameters(work, id, workflowIds),
      settings: { ...toSettings(settings), ...timeout },
    };
  });
  const lines = flow.flatMap(({ id, from }) =>
    from.map(({ source, way }) => ({ source, target: id, ...toHandle(way) })),
  );
  return { nodes, edges: lines.map((line, index) => ({ id: `e${index}`, ...line })) };
}

/** Without what is so anyway. */
const toSettings = ({ retries, retryDelay, ...switches }: Settings) => ({
  ...(retries > 0 ? { retries, retryDelay } : {}),
  ...Object.fromEntries(Object.entries(switches).filter(([, isOn]) => isOn)),
});

const toHandle = (way: string) => (way === onlyWay ? {} : { sourceHandle: way });

function toParameters(work: Work, id: string, workflowIds: readonly string[]): Record<string, unknown> {
  switch (work.type) {
    case "start":
      return {};
    case "condition":
    case "filter":
      return { condition: textOfTest(work.test) };
    case "switch":
      return { rules: work.rules.map(({ way, test }) => ({ way, condition: textOfTest(test) })) };
    case "merge":
    case "sort_and_limit":
    case "aggregate":
    case "dedupe":
      return Object.fromEntries(Object.entries(work).filter(([name]) => name !== "type"));
    case "loop":
      return {
        ...(work.list ? { list: textOfList(work.list) } : {}),
        ...(work.limit === undefined ? {} : { limit: work.limit }),
      };
    case "set_fields":
      return { fields: mapValues(work.fields, textOfValue), keepOthers: work.keepOthers };
    case "transform":
      return { expression: textOfShape(work.shape), over: work.over };
    case "wait":
      return work.isPast ? { until: "2020-01-31T12:00:00Z" } : { milliseconds: work.milliseconds };
    case "call_workflow":
      return { workflowId: workflowIds[work.flow], prompt: `{{ $trigger.prompt }}/${id}`, ...toPayload(work.payload) };
    case "stop":
      return { message: work.message };
    case "ask":
      return {
        owner: "acme",
        repo: work.plan,
        title: `{{ $trigger.prompt }}/${id}/${work.per === "item" ? "{{ $input.number }}" : "once"}`,
      };
  }
}

const toPayload = (payload: "default" | "input" | { number: number }) => {
  if (payload === "default") return {};
  return { payload: payload === "input" ? "$input" : payload };
};

export const mapValues = <Before, After>(
  record: Record<string, Before>,
  change: (value: Before) => After,
): Record<string, After> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
