import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { runUnderLimit } from "../base/run-under-limit.ts";
import { type Catalog, type Node, readInput } from "../catalog/catalog.ts";
import type { Execute } from "../execution/execute.ts";
import type { Prepare } from "../execution/prepare.ts";
import type { EngineNode, EngineOutcome, Item } from "../workflows/engine-node.ts";
import { expressionFieldsOf } from "../workflows/expression-fields.ts";
import { takesItem } from "../workflows/references.ts";
import { resolveParameters } from "../workflows/resolve-parameters.ts";
import { type GraphNode, onlyWay } from "./graph.ts";
import type { NodeTask } from "./node-task.ts";

/** One execution of a node: for one item, or for the list. */
export type Execution = { index: number; items: Item[]; input: unknown };

/** Told what an execution is given, also when it fails. */
type Note = (parameters: unknown, filled: unknown) => void;

export type ExecuteOnce = ReturnType<typeof createExecuteOnce>;

type Options = {
  catalog: Pick<Catalog, "nodes">;
  engineNodes: ReadonlyMap<string, EngineNode>;
  prepare: Prepare;
  execute: Execute;
  /** Fills what the author left empty, where an instruction says how. */
  fill: (task: NodeTask, wish: FillTask) => Promise<Filled>;
  answerFor: (task: NodeTask) => ((question: { system: string; prompt: string }) => Promise<string>) | undefined;
  defaultReferenceFor: (organizationId: string, type: string) => Promise<string | undefined>;
  clock: Clock;
  log: Log;
  limitMs: number;
};

type Parameters = Record<string, unknown>;

export type FillTask = {
  input: EngineNode["input"];
  parameters: Parameters;
  item: unknown;
  /** What expressions that a model wrote come to. */
  evaluate: (written: Parameters) => Promise<Parameters>;
};

export type Filled = { parameters: Record<string, unknown>; filled: Record<string, unknown> | undefined };

/** Resolves references, fills what is empty, checks, and runs: a tool through the same steps as any call of it, a built-in node directly. */
export function createExecuteOnce(options: Options) {
  const { clock, log } = options;
  const { kindOf, isKnown, waysOf, inputOf, isPure } = createKinds(options);

  function isPerItem(node: GraphNode): boolean {
    const kind = kindOf(node);
    return "engine" in kind ? kind.engine.per(node.parameters) === "item" : takesItem(node);
  }

  async function runTool(task: NodeTask, node: Node, { index }: Execution, parameters: Record<string, unknown>): Promise<EngineOutcome> {
    const references = await referencesFor(task, node);
    const given = { ...node.tool.nodeDefaults, ...parameters };
    const prepared = await options.prepare({ organizationId: task.organizationId, node, parameters: given, references });
    const items = await options.execute(prepared, {
      signal: task.signal,
      limitMs: limitOf(task),
      idempotencyKey: `${task.runId}:${task.node.id}:${index}`,
      beforeStep: () => beginStep(task, !node.tool.isResendable(prepared.input)),
      trace: task.trace,
    });
    return { outputs: { [onlyWay]: items } };
  }

  async function referencesFor({ node, organizationId }: NodeTask, { tool }: Node): Promise<Record<string, string>> {
    if (!tool.credential) return {};
    const { type } = tool.credential;
    const reference = node.credentials[type] ?? (await options.defaultReferenceFor(organizationId, type));
    return reference === undefined ? {} : { [type]: reference };
  }

  async function runEngine(task: NodeTask, engine: EngineNode, execution: Execution, given: unknown): Promise<EngineOutcome> {
    const parameters = readInput(engine, given);
    const limitMs = limitOf(task);
    const tooLate = () => new Refusal("tool_timeout", `The node took longer than ${limitMs / 1000} s.`);
    return await runUnderLimit({ limitMs, signal: task.signal, tooLate }, (signal) =>
      engine.run({
        parameters,
        items: execution.items,
        branches: task.incoming.branches,
        clock,
        signal,
        answer: options.answerFor(task),
      }),
    );
  }

  const limitOf = ({ node }: NodeTask): number => node.settings.timeoutMs ?? options.limitMs;

  return {
    waysOf,
    inputOf,
    isPure,

    plan({ node, incoming: { items } }: Pick<NodeTask, "node" | "incoming">): Execution[] {
      if (!isKnown(node)) return [{ index: 0, items, input: undefined }];
      if (isPerItem(node)) return items.map((item, index) => ({ index, items: [item], input: item }));
      return [{ index: 0, items, input: "engine" in kindOf(node) ? items : items[0] }];
    },

    async run(task: NodeTask, execution: Execution, note: Note): Promise<EngineOutcome> {
      const kind = kindOf(task.node);
      const input = inputOf(task.node);
      try {
        const scope = task.scopeFor(execution.input);
        const how = { organizationId: task.organizationId, expressionFields: expressionFieldsOf(input), signal: task.signal };
        const resolved = await resolveParameters(task.node.parameters, scope, how);
        const evaluate = (written: Parameters) => resolveParameters(written, scope, { ...how, onlyExpressionFields: true });
        const { parameters, filled } = await options.fill(task, { input, parameters: resolved, item: execution.input, evaluate });
        note(parameters, filled);
        return "engine" in kind
          ? await runEngine(task, kind.engine, execution, parameters)
          : await runTool(task, kind.tool, execution, parameters);
      } catch (error) {
        if (!(error instanceof Refusal) && !task.signal.aborted)
          log.error({ err: error, node: task.node.type, traceId: task.trace.traceId }, "a node failed unexpectedly");
        throw error;
      }
    },
  };
}

/** Asked twice, because it may take a while until it is stored that the node is under way. */
async function beginStep({ assertHeld, begin }: NodeTask, mustNotRepeat: boolean): Promise<void> {
  assertHeld();
  await begin(mustNotRepeat);
  assertHeld();
}

function createKinds({ catalog, engineNodes }: Pick<Options, "catalog" | "engineNodes">) {
  function kindOf({ type }: GraphNode): { tool: Node } | { engine: EngineNode } {
    const tool = catalog.nodes.get(type);
    const engine = engineNodes.get(type);
    if (tool) return { tool };
    if (engine) return { engine };
    throw new Refusal("unknown_node", `There is no node of the type ${type}.`);
  }

  const isKnown = ({ type }: GraphNode): boolean => catalog.nodes.has(type) || engineNodes.has(type);

  return {
    kindOf,
    isKnown,

    waysOf(node: GraphNode): string[] {
      if (!isKnown(node)) return [onlyWay];
      const kind = kindOf(node);
      return "engine" in kind ? kind.engine.ways(node.parameters) : [onlyWay];
    },

    /** Executing it twice changes nothing anywhere: it only works on what the run has. */
    isPure(node: GraphNode): boolean {
      if (!isKnown(node) || node.instruction !== "" || node.runtimeInstruction !== "") return false;
      const kind = kindOf(node);
      if ("engine" in kind) return !kind.engine.reachesOut;
      const { hints, credential } = kind.tool.tool;
      return hints.readOnly && !hints.openWorld && !credential;
    },

    /** What the parameters of a node have to be. */
    inputOf(node: GraphNode): EngineNode["input"] {
      const kind = kindOf(node);
      return "engine" in kind ? kind.engine.input : kind.tool.tool.input;
    },
  };
}
