import { readInput } from "../../../src/catalog/catalog.ts";
import type { EngineCall, EngineNode, Item, Scope } from "../../../src/workflows/engine-node.ts";
import { engineNodes } from "../../../src/workflows/engine-nodes/engine-nodes.ts";
import { expressionFieldsOf, nullableFieldsOf } from "../../../src/workflows/expression-fields.ts";
import { resolveParameters } from "../../../src/workflows/resolve-parameters.ts";

type CallContext = {
  items?: Item[];
  branches?: Record<string, Item[]>;
  answer?: EngineCall<unknown>["answer"];
  nodes?: Scope["nodes"];
};

export const now = new Date("2026-03-01T12:00:00Z");

/** As a run executes a node: once for each item or once for all, with references resolved and the parameters checked. */
export async function executeEngineNode(
  id: string,
  parameters: Record<string, unknown>,
  { items = [{}], branches = {}, answer, nodes = {} }: CallContext = {},
) {
  const node = engineNodes.get(id) as EngineNode;
  const executions =
    node.per(parameters) === "item"
      ? items.map((item) => ({ input: item as unknown, items: [item] }))
      : [{ input: items, items }];
  const outcomes = executions.map(async (one) => {
    const scope = {
      trigger: { source: "manual", sender: null, prompt: "Hi", payload: null },
      nodes,
      input: one.input,
      node: { id: "n", instruction: "" },
      vars: {},
    };
    const resolved = await resolveParameters(parameters, scope, {
      organizationId: "an-organization",
      expressionFields: expressionFieldsOf(node.input),
      nullableFields: nullableFieldsOf(node.input),
    });
    const call = { parameters: readInput(node, resolved), items: one.items, branches: toBranches(branches) };
    return await node.run({ ...call, clock: { now: () => now }, signal: new AbortController().signal, answer });
  });
  return await Promise.all(outcomes);
}

const toBranches = (branches: Record<string, Item[]>) =>
  Object.entries(branches).map(([from, items]) => ({ from, items }));
