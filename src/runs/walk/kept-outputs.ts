import { Refusal } from "../../base/refusal.ts";
import type { Item } from "../../workflows/engine-node.ts";
import { namedNodes } from "../../workflows/references.ts";
import type { Ready } from "./find-ready.ts";
import type { Graph, GraphNode } from "./graph.ts";
import { collectIncoming, type Incoming, type Settled } from "./incoming.ts";
import type { OutputBudget } from "./output-budget.ts";
import { passOn } from "./pass-on.ts";

type Options = {
  graph: Graph;
  settled: Map<string, Settled>;
  root: Item;
  budget: OutputBudget;
  /** What is stored as the outputs of a node. */
  read: (nodeId: string) => Promise<string | null>;
  /** Whether the outputs of a finished node are stored by now. */
  isStored: (nodeId: string) => boolean;
  signal: AbortSignal;
};

export type KeptOutputs = ReturnType<typeof createKeptOutputs>;

/** What a node is executed with. */
export type Loaded = { incoming: Incoming; settled: ReadonlyMap<string, Settled>; release: () => void };

/** Stands for an item that is only in the database: what is ready depends on how many there are, not on what they hold. */
const absent: Item = Object.freeze({});

/** Keeps what the nodes of one run gave in memory while it is little, and otherwise reads again what a node needs. */
export function createKeptOutputs({ graph, settled, root, budget, read, isStored, signal }: Options) {
  const lengths = new Map<string, number>();
  const left = new Set<string>();
  let kept = 0;

  const lengthOf = (ids: string[]): number => ids.reduce((sum, id) => sum + (lengths.get(id) ?? 0), 0);
  const isOver = (): boolean => kept > budget.perRun || (kept > 0 && budget.isExceeded());

  function change(length: number): void {
    kept += length;
    budget.keep(length);
  }

  /** The largest first, so that few have to be read again. */
  function leaveSome(): void {
    const mayLeave = ([id, length]: [string, number]) => length > 0 && !left.has(id) && isStored(id);
    const candidates = [...lengths].filter(mayLeave).sort(([, one], [, other]) => other - one);
    for (const [id, length] of candidates) if (isOver()) leave(id, length);
    passAllOn(settled);
  }

  function leave(id: string, length: number): void {
    const known = settled.get(id);
    if (!known) return;
    const outputs = Object.entries(known.outputs).map(([way, items]) => [way, items.map(() => absent)]);
    settled.set(id, { ...known, outputs: Object.fromEntries(outputs) as Settled["outputs"] });
    left.add(id);
    change(-length);
  }

  /** Nodes that only let pass hold the items of others. */
  const sourcesOf = (id: string): string[] =>
    settled.get(id)?.passesOn ? (graph.get(id)?.incoming ?? []).map(({ source }) => source) : [];
  const isWhole = (id: string): boolean => !left.has(id) && sourcesOf(id).every(isWhole);

  /** In the order in which they were settled, so that what one lets pass is there before the next takes it. */
  function passAllOn(known: Map<string, Settled>): void {
    for (const [id, one] of settled) {
      const node = one.passesOn && !isWhole(id) ? graph.get(id) : undefined;
      if (node) known.set(id, passOn(node, collectIncoming(node, known, root)));
    }
  }

  /** Those whose outputs a node may look at: what leads to it, and what its parameters name. */
  function neededBy(node: GraphNode): Set<string> {
    const named = namedNodes(node.parameters);
    const needed = new Set([...node.incoming.map(({ source }) => source), ...(named ?? settled.keys())]);
    for (const id of needed) for (const source of sourcesOf(id)) needed.add(source);
    return needed;
  }

  async function readAll(ids: string[]): Promise<Map<string, Settled>> {
    const whole = new Map(settled);
    for (const id of ids) {
      const known = settled.get(id);
      if (known) whole.set(id, { ...known, outputs: parseOutputs(id, await read(id)) });
    }
    passAllOn(whole);
    return whole;
  }

  return {
    /** A node was settled; `length` is that of its outputs as JSON. */
    add(id: string, length: number): void {
      lengths.set(id, length);
      change(length);
      if (isOver()) leaveSome();
    },

    async load({ node, incoming }: Ready): Promise<Loaded> {
      // A copy: while the node is executed, others may end and leave what they gave in the database.
      if (left.size === 0 && kept <= budget.perNode) return { incoming, settled: new Map(settled), release: () => {} };
      const needed = [...neededBy(node)];
      if (lengthOf(needed) > budget.perNode) throw tooMuch(budget.perNode);
      const missing = needed.filter((id) => left.has(id));
      if (missing.length === 0) return { incoming, settled: new Map(settled), release: () => {} };
      const release = await budget.takeToRead(lengthOf(missing), signal);
      try {
        const whole = await readAll(missing);
        return { incoming: collectIncoming(node, whole, root), settled: whole, release };
      } catch (error) {
        release();
        throw error;
      }
    },

    close: () => change(-kept),
  };
}

function parseOutputs(id: string, text: string | null): Settled["outputs"] {
  if (text === null) throw new Error(`What the node ${id} gave is not stored any more.`);
  return JSON.parse(text) as Settled["outputs"];
}

const tooMuch = (most: number) =>
  new Refusal(
    "outputs_too_large",
    `The node would get more than ${Math.floor(most / 1_000_000)} MB from other nodes. Pass on less, for instance with a transform node before it.`,
  );
