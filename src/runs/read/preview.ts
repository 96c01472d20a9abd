import { createPause } from "../../base/pause-long-work.ts";
import { Refusal } from "../../base/refusal.ts";
import { runUnderLimit } from "../../base/run-under-limit.ts";
import { createTurns } from "../../base/take-turns.ts";
import type { TriggerData } from "../../workflows/engine-node.ts";
import { expressionFieldsOf } from "../../workflows/expression-fields.ts";
import { findAncestors } from "../../workflows/find-ancestors.ts";
import { hasMoreValues } from "../../workflows/measure-json.ts";
import { readCanvas } from "../../workflows/read-canvas.ts";
import { requireRow } from "../../workflows/refuse-change.ts";
import { resolveParameters } from "../../workflows/resolve-parameters.ts";
import { namedVariables } from "../../workflows/variables/named-variables.ts";
import { maxNodeValues } from "../../workflows/wire.ts";
import type { Workflows } from "../../workflows/workflows.ts";
import { compileGraph, type Graph, type GraphNode } from "../walk/graph.ts";
import { collectIncoming, itemsOf, type Settled, toRootItem } from "../walk/incoming.ts";
import type { createAskModel } from "../walk/node/ask-model.ts";
import { buildScope } from "../walk/node/build-scope.ts";
import { cutItems } from "../walk/node/cut-items.ts";
import type { ExecuteOnce } from "../walk/node/execute-once.ts";
import { settlePassed } from "../walk/pass-on.ts";
import type { FillPreview, FillPreviewRequest, PreviewScope, ValuePreview, ValuePreviewRequest } from "../wire.ts";
import { readSettled } from "./describe-run.ts";
import type { RunNodeRow } from "./list-store.ts";
import type { RunList } from "./run-list.ts";

export type Preview = ReturnType<typeof createPreview>;

type Options = {
  workflows: Pick<Workflows, "find" | "variables" | "pins">;
  runs: Pick<RunList, "read" | "findExample">;
  executeOnce: Pick<ExecuteOnce, "plan" | "inputOf">;
  askModel: Pick<ReturnType<typeof createAskModel>, "fill" | "modelFor">;
  limitMs: number;
};

type Place = { organizationId: string; workflowId: string };
type Example = { runId: string | null; trigger: TriggerData; rows: RunNodeRow[]; graph: Graph };
type Edited = Pick<ValuePreviewRequest, "canvas" | "nodeId" | "runId">;

const shownItems = 3;

/** What a node that is being edited would be given, with the data of a run that there was. Nothing is executed. */
export function createPreview({ workflows, runs, executeOnce, askModel, limitMs }: Options) {
  // The organization's runs need the process that evaluates its expressions too, and no slot limits how many previews are asked for.
  const takeTurn = createTurns();
  const { findExample, placeNode } = createPlaces({ workflows, runs, executeOnce });

  return {
    async scope(place: Place, runId: string | undefined): Promise<PreviewScope> {
      const [example, variables] = await Promise.all([
        findExample(place, runId),
        workflows.variables.list(place.organizationId),
      ]);
      const vars = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
      return { ...toScope(example), vars };
    },

    async value(
      place: Place,
      { value, expression, ...edited }: ValuePreviewRequest,
      signal: AbortSignal,
    ): Promise<ValuePreview> {
      requireFewValues(value);
      const { node, graph, example, settled, given } = await placeNode(place, edited);
      const vars = await workflows.variables.valuesOf(place.organizationId, namedVariables(value));
      const scope = buildScope({ trigger: example.trigger, vars, graph, settled, node })(given);
      const expressionFields = expression ? ["/value"] : [];
      try {
        const { organizationId } = place;
        const resolved = await takeTurn(organizationId.toLowerCase(), () =>
          resolveParameters({ value }, scope, { organizationId, expressionFields, signal }),
        );
        return { runId: example.runId, result: { value: resolved.value ?? null } };
      } catch (error) {
        if (!(error instanceof Refusal && wrongValue.has(error.code))) throw error;
        return { runId: example.runId, result: { error: error.message } };
      }
    },

    /** Asks the model, and so costs what a run's question to it costs. */
    async fill(
      place: Place,
      { instruction, ...edited }: FillPreviewRequest,
      signal: AbortSignal,
    ): Promise<FillPreview> {
      const placed = await placeNode(place, edited);
      const node = { ...placed.node, instruction: instruction ?? placed.node.instruction };
      const input = executeOnce.inputOf(node);
      requireInstruction(node);
      const { organizationId } = place;
      const model = askModel.modelFor({ node, organizationId });
      if (!model) throw new Refusal("model_not_configured", "No language model is configured.");
      const { example, graph, settled, given } = placed;
      const vars = await workflows.variables.valuesOf(organizationId, namedVariables(node.parameters));
      const scope = buildScope({ trigger: example.trigger, vars, graph, settled, node })(given);
      const expressionFields = expressionFieldsOf(input);
      const tooLate = () => new Refusal("tool_timeout", `The language model took longer than ${limitMs / 1000} s.`);
      const { filled = {} } = await runUnderLimit({ limitMs, signal, tooLate }, (limited) =>
        askModel.fill(
          { node, organizationId, prompt: example.trigger.prompt, signal: limited },
          {
            input,
            parameters: node.parameters,
            item: given.input,
            evaluate: (written) =>
              resolveParameters(written, scope, {
                organizationId,
                expressionFields,
                onlyExpressionFields: true,
                signal: limited,
              }),
          },
        ),
      );
      return { filled, model: model.name };
    },
  };
}

/** Finds the run that gives its data, and what comes to a node with it. */
function createPlaces({ workflows, runs, executeOnce }: Pick<Options, "workflows" | "runs" | "executeOnce">) {
  async function findExample({ organizationId, workflowId }: Place, runId: string | undefined): Promise<Example> {
    const { id: ownId } = await requireRow(workflows.find(organizationId, workflowId));
    const id = runId ?? (await runs.findExample(organizationId, ownId));
    // Who asks for a run sees what that one began with.
    const pinned =
      runId === undefined ? await workflows.pins.findTrigger({ organizationId, workflowId: ownId }) : undefined;
    if (id === undefined) return pinned ? { ...withoutRun, trigger: pinned } : withoutRun;
    const { row, nodes: rows, graph } = await runs.read(organizationId, id);
    if (row.workflowId !== ownId) throw new Refusal("not_found", "There is no such run.");
    return { runId: row.id, trigger: pinned ?? (JSON.parse(row.triggerData) as TriggerData), rows, graph };
  }

  async function placeNode(place: Place, { canvas, nodeId, runId }: Edited) {
    const { graph, ancestorsOf } = await readEdited(canvas);
    const node = findNode(graph, nodeId);
    const example = await findExample(place, runId);
    const settled = settle(graph, example);
    const incoming = collectIncoming(node, settled, toRootItem(example.trigger.payload));
    const ancestors = ancestorsOf(nodeId);
    const before = new Map([...settled].filter(([id]) => ancestors.has(id)));
    const [first] = executeOnce.plan({ node, incoming });
    const given = first ?? { index: 0, items: [], input: undefined, isForItem: false };
    return { node, graph, example, settled: before, given };
  }

  return { findExample, placeNode };
}

function toScope(example: Example): Omit<PreviewScope, "vars"> {
  const leftOut = example.rows.filter(({ isLeftOut }) => isLeftOut).map(({ nodeId }) => nodeId);
  const shown = [...settle(example.graph, example)].map(
    ([id, one]) => [id, cutItems(itemsOf(one).slice(0, shownItems))] as const,
  );
  const cut = shown.filter(([, { truncated }]) => truncated).map(([id]) => id);
  return {
    runId: example.runId,
    trigger: example === withoutRun ? null : example.trigger,
    nodes: Object.fromEntries(shown.map(([id, { items }]) => [id, items])),
    truncated: Object.fromEntries([...cut, ...leftOut].map((id) => [id, true as const])),
  };
}

const withoutRun: Example = {
  runId: null,
  trigger: { source: "manual", sender: null, prompt: "", payload: null },
  rows: [],
  graph: new Map() as Graph,
};

const wrongValue: ReadonlySet<string> = new Set(["validation_failed", "reference_unresolved", "expression_timeout"]);

async function readEdited(value: unknown) {
  const { faults, nodes, edges: placed } = await readCanvas(value, createPause());
  const [first] = faults;
  if (first) {
    const errors = faults.map(({ pointer, detail }) => ({ pointer: `/canvas${pointer}`, detail }));
    throw new Refusal("validation_failed", `canvas${first.pointer} ${first.detail}.`, { errors });
  }
  const edges = placed.map(({ edge }) => edge);
  return { graph: compileGraph({ nodes: nodes.map(({ node }) => node), edges }), ancestorsOf: findAncestors(edges) };
}

function findNode(graph: Graph, nodeId: string): GraphNode {
  const node = graph.get(nodeId);
  if (node) return node;
  const detail = "is no node of this canvas";
  throw new Refusal("unknown_node", `nodeId ${detail}.`, { errors: [{ pointer: "/nodeId", detail }] });
}

function requireFewValues(value: unknown): void {
  if (!hasMoreValues(value, maxNodeValues)) return;
  const detail = `must have at most ${maxNodeValues} values in it`;
  throw new Refusal("validation_failed", `value ${detail}.`, { errors: [{ pointer: "/value", detail }] });
}

function requireInstruction({ instruction }: GraphNode): void {
  if (instruction.trim() !== "") return;
  const detail = "is needed: the node has none that says how to fill its parameters";
  throw new Refusal("validation_failed", `instruction ${detail}.`, { errors: [{ pointer: "/instruction", detail }] });
}

/** What the run left for the nodes of a graph. A node that became another one since then has nothing. */
function settle(graph: Graph, { rows, trigger }: Example): Map<string, Settled> {
  const isSame = ({ nodeId, nodeType }: RunNodeRow) => {
    const node = graph.get(nodeId);
    return node?.type === nodeType && !node.settings.disabled;
  };
  const settled = readSettled(rows.filter(isSame));
  settlePassed(graph, settled, () => false, toRootItem(trigger.payload));
  return settled;
}
