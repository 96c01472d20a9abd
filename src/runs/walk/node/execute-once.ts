import type { Clock } from "../../../base/clock.ts";
import { readingMethods } from "../../../base/effect.ts";
import type { Log } from "../../../base/log.ts";
import { Refusal } from "../../../base/refusal.ts";
import { runUnderLimit } from "../../../base/run-under-limit.ts";
import type { Execute, Prepare } from "../../../calls/execute.ts";
import { type Catalog, type CatalogAction, readInput } from "../../../catalog/catalog.ts";
import { modelCredentialTypes } from "../../../workflows/choose-model.ts";
import type { EngineNode, EngineOutcome } from "../../../workflows/engine-node.ts";
import { callWorkflow } from "../../../workflows/engine-nodes/call-workflow.ts";
import { expressionFieldsOf, nullableFieldsOf } from "../../../workflows/expression-fields.ts";
import { isEmpty } from "../../../workflows/fill-parameters.ts";
import { takesItem } from "../../../workflows/references.ts";
import { resolveParameters } from "../../../workflows/resolve-parameters.ts";
import type { RunFiles } from "../../read/run-files.ts";
import { type GraphNode, onlyWay } from "../graph.ts";
import type { Execution, NodeTask } from "./node-task.ts";

/** Told what an execution is given, also when it fails. */
type Note = (place: number, parameters: unknown, filled: unknown) => void;

export type ExecuteOnce = ReturnType<typeof createExecuteOnce>;

type Options = {
  catalog: Pick<Catalog, "actions">;
  engineNodes: ReadonlyMap<string, EngineNode>;
  prepare: Prepare;
  execute: Execute;
  /** Fills what the author left empty, where an instruction says how. */
  fill: (task: Timed, request: FillTask) => Promise<Filled>;
  answerFor: (task: Timed) => ((question: { system: string; prompt: string }) => Promise<string>) | undefined;
  files: Pick<RunFiles, "insertInto" | "takeOut">;
  defaultReferenceFor: (organizationId: string, type: string) => Promise<string | undefined>;
  clock: Clock;
  log: Log;
  limitMs: number;
};

type Values = Record<string, unknown>;

export type FillTask = {
  input: EngineNode["input"];
  parameters: Values;
  item: unknown;
  /** What expressions that a model wrote come to. */
  evaluate: (written: Values) => Promise<Values>;
};

type Timed = NodeTask & { limitMs: number; leftMs: () => number; tooLate: () => Refusal };

export type Filled = { parameters: Record<string, unknown>; filled: Record<string, unknown> | undefined };

/** Resolves references, fills what is empty, checks, and runs: a tool through the same steps as any call of it, a built-in node directly. */
export function createExecuteOnce(options: Options) {
  const { log } = options;
  const { kindOf, isKnown, inputOf, isPure, writes } = createKinds(options);

  function isPerItem(node: GraphNode): boolean {
    const kind = kindOf(node);
    return "engine" in kind
      ? kind.engine.per(node.parameters) === "item"
      : takesItem(node) || hasToFill(node, kind.action);
  }

  return {
    inputOf,
    isPure,
    writes,

    plan({ node, incoming: { items } }: Pick<NodeTask, "node" | "incoming">): Execution[] {
      const isForItem = isKnown(node) && isPerItem(node);
      if (isForItem) return items.map((item, index) => ({ index, items: [item], input: item, isForItem }));
      if (!isKnown(node)) return [{ index: 0, items, input: undefined, isForItem }];
      return [{ index: 0, items, input: "engine" in kindOf(node) ? items : items[0], isForItem }];
    },

    async run(task: NodeTask, execution: Execution, note: Note): Promise<EngineOutcome> {
      const kind = kindOf(task.node);
      const input = inputOf(task.node);
      try {
        const scope = task.scopeFor(execution);
        const how = {
          organizationId: task.organizationId,
          expressionFields: expressionFieldsOf(input),
          nullableFields: nullableFieldsOf(input),
          signal: task.signal,
        };
        const resolved = await resolveParameters(task.node.parameters, scope, how);
        const evaluate = (written: Values) => resolveParameters(written, scope, { ...how, onlyExpressionFields: true });
        return await inTurn(task, isPure(task.node), async () => {
          const timed = startClock(task, options.limitMs);
          const { parameters, filled } = await fill(options, timed, {
            input,
            parameters: resolved,
            item: execution.input,
            evaluate,
          });
          note(execution.index, parameters, filled);
          return "engine" in kind
            ? await runEngine(options, timed, { engine: kind.engine, execution, given: parameters })
            : await runAction(options, timed, { action: kind.action, index: execution.index, parameters });
        });
      } catch (error) {
        if (!(error instanceof Refusal) && !task.signal.aborted)
          log.error({ err: error, node: task.node.type, traceId: task.trace.traceId }, "a node failed unexpectedly");
        throw error;
      }
    },
  };
}

type ActionRun = { action: CatalogAction; index: number; parameters: Values };

async function runAction(
  options: Options,
  task: Timed,
  { action, index, parameters }: ActionRun,
): Promise<EngineOutcome> {
  const asked = { parameters: { ...action.nodeDefaults, ...parameters }, schema: action.inputSchema };
  const given = await options.files.insertInto(task, asked, task.signal);
  const prepared = await prepareCall(task, action, given, options);
  const items = await options.execute(prepared, {
    signal: task.signal,
    limitMs: task.leftMs(),
    toldMs: task.limitMs,
    idempotencyKey: `${task.runId}:${task.node.id}:${index}`,
    beforeStep: () => beginStep(task, index, !action.isResendable(prepared.input)),
    trace: task.trace,
  });
  const { findBytes } = action;
  if (!findBytes) return { outputs: { [onlyWay]: items } };
  task.assertHeld();
  return { outputs: { [onlyWay]: await options.files.takeOut(task, items, findBytes) } };
}

type EngineRun = { engine: EngineNode; execution: Execution; given: unknown };

async function runEngine(
  options: Options,
  task: Timed,
  { engine, execution, given }: EngineRun,
): Promise<EngineOutcome> {
  const parameters = readInput(engine, given);
  return await runUnderLimit({ limitMs: task.leftMs(), signal: task.signal, tooLate: task.tooLate }, (signal) =>
    engine.run({
      parameters,
      items: execution.items,
      branches: task.incoming.branches,
      clock: options.clock,
      signal,
      answer: options.answerFor({ ...task, signal }),
    }),
  );
}

async function fill(options: Options, task: Timed, request: FillTask): Promise<Filled> {
  if (task.node.instruction === "" && task.node.runtimeInstruction === "")
    return { parameters: request.parameters, filled: undefined };
  return await runUnderLimit({ limitMs: task.leftMs(), signal: task.signal, tooLate: task.tooLate }, (signal) =>
    options.fill({ ...task, signal }, request),
  );
}

/** What the time of an execution counts from: its parameters are known, and what a model has to fill is part of it. */
function startClock(task: NodeTask, longestMs: number): Timed {
  const limitMs = task.node.settings.timeoutMs ?? longestMs;
  const began = performance.now();
  const tooLate = () => new Refusal("tool_timeout", `The node took longer than ${limitMs / 1000} s.`);
  return { ...task, limitMs, leftMs: () => Math.max(1, limitMs - Math.floor(performance.now() - began)), tooLate };
}

/** What reaches out waits until the run may make one more call; its time begins then. */
async function inTurn<Value>(
  { enterCall, isStopping, signal }: NodeTask,
  isPure: boolean,
  work: () => Promise<Value>,
): Promise<Value> {
  if (isPure) return await work();
  const leave = await enterCall(signal);
  try {
    if (isStopping()) throw new Refusal("shutting_down", "The server is stopping.");
    return await work();
  } finally {
    leave();
  }
}

/** Asked twice, because it may take a while until it is stored that the node is under way. */
async function beginStep({ assertHeld, begin }: NodeTask, place: number, mustNotRepeat: boolean): Promise<void> {
  assertHeld();
  await begin(place, mustNotRepeat);
  assertHeld();
}

/** Whether a model fills something, for which it is shown the item that came in. */
const hasToFill = ({ instruction, runtimeInstruction, parameters }: GraphNode, { input }: CatalogAction): boolean =>
  `${instruction}${runtimeInstruction}`.trim() !== "" &&
  Object.keys(input.shape).some((name) => isEmpty(parameters[name]));

type Account = { references: Record<string, string>; isDefault: boolean };

/** With the first account that is for the call. */
async function prepareCall(
  task: NodeTask,
  action: CatalogAction,
  parameters: Values,
  options: Pick<Options, "prepare" | "defaultReferenceFor">,
) {
  const asked = { organizationId: task.organizationId, action, parameters };
  const [first, ...others] = await chooseAccounts(task, action, options);
  let prepared = await options.prepare({ ...asked, ...first });
  for (const account of others) if (!prepared.credential) prepared = await options.prepare({ ...asked, ...account });
  return prepared;
}

/**
 * The account that the node names, or else those that are used where they are meant for the call: that of the model which fills the node's
 * parameters, where the call goes to the same provider, then the organization's default.
 */
async function chooseAccounts(
  { node: { credentials }, organizationId }: NodeTask,
  action: CatalogAction,
  { defaultReferenceFor }: Pick<Options, "defaultReferenceFor">,
): Promise<[Account, ...Account[]]> {
  const { credential, alsoTakes } = action;
  if (!credential) return [{ references: {}, isDefault: false }];
  const { type } = credential;
  const isOfModel = (other: string) => modelCredentialTypes.includes(other);
  const named = [type, ...alsoTakes.filter((other) => !isOfModel(other))].filter(
    (other) => credentials[other] !== undefined,
  );
  const referTo = (types: string[]) => Object.fromEntries(types.map((other) => [other, credentials[other] ?? ""]));
  if (named.length > 0) return [{ references: referTo(named), isDefault: false }];
  const ofModels = modelCredentialTypes.filter(
    (other) => alsoTakes.includes(other) && credentials[other] !== undefined,
  );
  const reference = await defaultReferenceFor(organizationId, type);
  const last = { references: reference === undefined ? {} : { [type]: reference }, isDefault: true };
  const [first, ...others] = [...ofModels.map((other) => ({ references: referTo([other]), isDefault: true })), last];
  return [first ?? last, ...others];
}

function createKinds({ catalog, engineNodes }: Pick<Options, "catalog" | "engineNodes">) {
  function kindOf({ type }: GraphNode): { action: CatalogAction } | { engine: EngineNode } {
    const action = catalog.actions.get(type);
    const engine = engineNodes.get(type);
    if (action) return { action };
    if (engine) return { engine };
    throw new Refusal("unknown_node", `There is no node of the type ${type}.`);
  }

  const isKnown = ({ type }: GraphNode): boolean => catalog.actions.has(type) || engineNodes.has(type);

  return {
    kindOf,
    isKnown,

    /** Executing it twice changes nothing anywhere: it only works on what the run has. */
    isPure(node: GraphNode): boolean {
      if (!isKnown(node) || node.instruction !== "" || node.runtimeInstruction !== "") return false;
      const kind = kindOf(node);
      if ("engine" in kind) return !kind.engine.reachesOut;
      const { hints, credential } = kind.action;
      return hints.readOnly && !hints.openWorld && !credential;
    },

    /** Whether executing it changes something outside. To ask a model only costs, and what a called workflow does nobody knows. */
    writes(node: GraphNode): boolean {
      if (!isKnown(node)) return false;
      const kind = kindOf(node);
      if ("engine" in kind) return kind.engine === callWorkflow;
      const { hints, defaultModel, input } = kind.action;
      const { method: usual } = { ...node.parameters, ...input.safeParse(node.parameters).data };
      // What is left empty may be filled by a model, with any method.
      const isFilled = (node.instruction !== "" || node.runtimeInstruction !== "") && isEmpty(node.parameters.method);
      const method = isFilled ? undefined : usual;
      const onlyReads = typeof method === "string" && readingMethods.has(method);
      return !hints.readOnly && defaultModel === undefined && !onlyReads;
    },

    /** What the parameters of a node have to be. */
    inputOf(node: GraphNode): EngineNode["input"] {
      const kind = kindOf(node);
      return "engine" in kind ? kind.engine.input : kind.action.input;
    },
  };
}
