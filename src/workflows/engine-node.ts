import type { z } from "zod";
import type { Clock } from "../base/clock.ts";
import type { FieldFault } from "../base/refusal.ts";

/** What flows along an edge: a list of these. */
export type Item = Record<string, unknown>;

/** `$trigger` of a run. */
export type TriggerData = {
  source: string;
  sender: unknown;
  prompt: string;
  payload: unknown;
  /** What a provider calls that which happened. */
  event?: string | null;
  /** Of what a webhook was sent. */
  method?: string;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
};

/** What expressions of a node can see. */
export type Scope = {
  trigger: TriggerData;
  /** Finished nodes by canvas id: what came out of all their ways, in order. */
  nodes: Record<string, { items: Item[]; first: Item | undefined }>;
  /** `$input`: the incoming item; for a node that takes the whole list, all incoming items; undefined where nothing came in. */
  input: unknown;
  node: { id: string; instruction: string };
  /** `$vars`: the variables of the organization that the run names. */
  vars: Record<string, unknown>;
  /** `$nodes.<id>.item`: the item of that node from which the incoming one came, or why there is none. */
  pairOf?: (nodeId: string) => { item: Item } | { fault: string };
};

/** What came in along one edge. `from` names, for people, where it comes from. */
export type Branch = { from: string; items: Item[] };

export type EngineCall<Input> = {
  /** Resolved and checked; for nodes that run per item: for this item. */
  parameters: Input;
  /** All items that came in, or the one when the node runs per item. */
  items: Item[];
  /** Incoming items by edge, in the order of the edges. */
  branches: readonly Branch[];
  clock: Clock;
  signal: AbortSignal;
  /** Present where a model is configured. */
  answer?: ((question: { system: string; prompt: string }) => Promise<string>) | undefined;
};

export type EngineOutcome =
  /** Way out → items; `out` where there is only one. The note is shown to whoever looks at the run. */
  | { outputs: Record<string, Item[]>; origins?: Record<string, (number | number[] | null)[]>; note?: string }
  /** The node is done at that moment and passes its items on. */
  | { waitUntil: Date }
  /** The node is done when that workflow's run is; its last items come out. */
  | { startRun: { workflowId: string; prompt: string; payload: unknown } };

/** A built-in node of the workflow engine. It is no tool. */
export type EngineNode = {
  id: string;
  title: string;
  description: string;
  /** Other words that people look for it with. */
  synonyms: readonly string[];
  /** Where people look for it. */
  section: "trigger" | "logic" | "data" | "ai";
  version: number;
  /** Executed once for every incoming item, or once for the whole list, given the parameters as the author wrote them. */
  per: (parameters: Record<string, unknown>) => "item" | "list";
  /** Fields marked `.meta({ expression: true })` are expressions as they stand. */
  input: z.ZodObject;
  /** It asks or starts something outside of the run, so that what came before it must be stored when it begins. */
  reachesOut: boolean;
  /** The names of its ways out, given the parameters as the author wrote them. */
  ways: (parameters: Record<string, unknown>) => string[];
  /** What would make every run fail and no schema can say, given the parameters as the author wrote them. */
  findFaults: (parameters: Record<string, unknown>, now: Date) => FieldFault[];
  run: (call: EngineCall<Record<string, unknown>>) => Promise<EngineOutcome>;
};

type Descriptor<Input extends z.ZodObject> = Omit<
  EngineNode,
  "input" | "run" | "ways" | "findFaults" | "version" | "per" | "reachesOut"
> & {
  version?: number;
  reachesOut?: true;
  per: "item" | "list" | EngineNode["per"];
  input: Input;
  ways?: EngineNode["ways"];
  findFaults?: EngineNode["findFaults"];
  run: (call: EngineCall<z.output<Input>>) => Promise<EngineOutcome>;
};

export const defineEngineNode = <Input extends z.ZodObject>({ per, ...descriptor }: Descriptor<Input>): EngineNode =>
  ({
    version: 1,
    reachesOut: false,
    ways: () => ["out"],
    findFaults: () => [],
    per: typeof per === "function" ? per : () => per,
    ...descriptor,
  }) as unknown as EngineNode;
