import { Refusal } from "../../base/refusal.ts";
import type { Item, TriggerData } from "../../workflows/engine-node.ts";
import type { Graph } from "../walk/graph.ts";
import { toRootItem } from "../walk/incoming.ts";
import { resultOf, resultSources } from "../walk/result-of.ts";
import type { RunNode } from "../wire.ts";
import { readSettled, toNode } from "./describe-run.ts";
import {
  findNodeData,
  findWholeRun,
  listNodeStates,
  type NodeState,
  type RunNodeRow,
  type RunsDb,
  type WholeRunRow,
} from "./list-store.ts";

type Options = { tables: RunsDb; graphOf: (organizationId: string, row: WholeRunRow) => Promise<Graph> };

type Found<Node> = { row: WholeRunRow; nodes: Node[]; graph: Graph };

export type FoundRun = Found<RunNodeRow>;

/** How much of what nodes got and gave one answer holds. A run may have given more than a process has memory. */
const mostBytes = 8_000_000;

/** Reads one run: how its nodes stand, and of their data as much as is wanted. */
export function createReadRun(options: Options) {
  const { readStates, readData } = createReadParts(options);

  /** One node of a run, however much it got and gave. */
  async function readWhole(organizationId: string, id: string, nodeId: string) {
    const { row, nodes, graph } = await readStates(organizationId, id);
    const states = nodes.filter((one) => one.nodeId === nodeId);
    const [node] = await readData(organizationId, id, states, new Set([nodeId]));
    return { row, graph, node };
  }

  return {
    readStates,
    readWhole,

    /** With the data of as many nodes as one answer holds, those first that the result comes from. */
    async read(organizationId: string, id: string): Promise<FoundRun> {
      const { row, nodes, graph } = await readStates(organizationId, id);
      return { row, graph, nodes: await readData(organizationId, id, nodes, chooseNodes(nodes, graph)) };
    },

    /** With the first item of each way of each node: it shows where items went, whatever they amount to. */
    async readFirstItems(organizationId: string, id: string): Promise<FoundRun> {
      const { row, nodes, graph } = await readStates(organizationId, id);
      const rows: RunNodeRow[] = [];
      for (const one of await readData(organizationId, id, nodes, chooseNodes(nodes, graph))) {
        // One by one, so that at no time more than the largest of them is in memory.
        const [whole = one] = one.isLeftOut ? await readData(organizationId, id, [one], new Set([one.nodeId])) : [one];
        rows.push({ ...whole, input: null, filled: null, outputs: cutToFirst(whole.outputs) });
      }
      return { row, graph, nodes: rows };
    },

    async readNode(organizationId: string, id: string, nodeId: string): Promise<RunNode> {
      const { row, graph, node: stored } = await readWhole(organizationId, id, nodeId);
      const node = graph.get(nodeId);
      if (!node) throw new Refusal("not_found", "There is no such node in this run.");
      return toNode(node, stored, row.status);
    },

    /** What came out of a run; undefined when it is more than so many bytes. */
    async readResult(
      organizationId: string,
      id: string,
      most: number,
    ): Promise<{ items: Item[]; bytes: number } | undefined> {
      const { row, nodes, graph } = await readStates(organizationId, id);
      const sources = new Set(resultSources(graph));
      const last = nodes.filter(({ nodeId }) => sources.has(nodeId));
      const bytes = last.reduce((sum, one) => sum + one.bytes, 0);
      if (bytes > most) return undefined;
      const rows = await readData(organizationId, id, last, new Set(last.map(({ nodeId }) => nodeId)));
      const { payload } = JSON.parse(row.triggerData) as TriggerData;
      return { items: resultOf(graph, readSettled(rows), toRootItem(payload)), bytes };
    },
  };
}

function createReadParts({ tables, graphOf }: Options) {
  async function readStates(organizationId: string, id: string): Promise<Found<NodeState>> {
    const row = await findWholeRun(tables, organizationId, id);
    if (!row) throw new Refusal("not_found", "There is no such run.");
    const [nodes, graph] = await Promise.all([
      listNodeStates(tables, organizationId, id),
      graphOf(organizationId, row),
    ]);
    return { row, nodes, graph };
  }

  async function readData(
    organizationId: string,
    runId: string,
    states: NodeState[],
    wanted: Set<string>,
  ): Promise<RunNodeRow[]> {
    const nodeIds = [...wanted];
    const found = nodeIds.length > 0 ? await findNodeData(tables, organizationId, { runId, nodeIds }) : [];
    const data = new Map(found.map((one) => [one.nodeId, one]));
    return states.map((state) => ({
      ...state,
      input: null,
      outputs: null,
      filled: null,
      items: null,
      ...data.get(state.nodeId),
      isLeftOut: state.bytes > 0 && !data.has(state.nodeId),
    }));
  }

  return { readStates, readData };
}

function cutToFirst(outputs: string | null): string | null {
  if (outputs === null) return null;
  const ways = Object.entries(JSON.parse(outputs) as Record<string, Item[]>);
  return JSON.stringify(
    Object.fromEntries(ways.map(([way, items]) => [way, Array.isArray(items) ? items.slice(0, 1) : items])),
  );
}

function chooseNodes(nodes: NodeState[], graph: Graph): Set<string> {
  const chosen = new Set<string>();
  let room = mostBytes;
  const sources = new Set(resultSources(graph));
  const inOrder = [
    ...nodes.filter(({ nodeId }) => sources.has(nodeId)),
    ...nodes.filter(({ nodeId }) => !sources.has(nodeId)),
  ];
  for (const { nodeId, bytes } of inOrder) {
    if (bytes === 0 || bytes > room) continue;
    room -= bytes;
    chosen.add(nodeId);
  }
  return chosen;
}
