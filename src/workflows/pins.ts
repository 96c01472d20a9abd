import { fieldMessage } from "../base/field-message.ts";
import { toStorableText } from "../base/json.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { Author } from "./author.ts";
import type { SavedCanvas } from "./canvas-columns.ts";
import { findDraft } from "./draft-store.ts";
import type { TriggerData } from "./engine-node.ts";
import { deletePins, findPin, listPinHeads, listPinnedIds, listPins, putPin, sumOtherBytes } from "./pin-store.ts";
import {
  mostPinnedBytes,
  mostPinnedBytesOfAll,
  type Pin,
  type PinHead,
  type PinRequest,
  pinnedTrigger,
  triggerPinId,
} from "./pin-wire.ts";
import { toFaults } from "./read-canvas.ts";
import { requireRow } from "./refuse-change.ts";
import * as store from "./store.ts";

type NodePlace = store.Place & { nodeId: string };
type PinRow = { node_id: string; outputs: string; pinned_by_name: string | null; pinned_at: Date };

/** Outputs that runs of the editor take in the place of what a node would give. They stay until the node is gone from the draft and from what is published. */
export function createPins({ db }: { db: Database }) {
  const tables = store.workflowTables(db);

  return {
    async list(place: store.Place): Promise<{ data: PinHead[] }> {
      await requireRow(store.findWorkflow(tables, place));
      return { data: (await listPinHeads(tables, place)).map(describeHead) };
    },

    async get({ nodeId, ...place }: NodePlace): Promise<Pin> {
      await requireRow(store.findWorkflow(tables, place));
      const row = await findPin(tables, place, nodeId);
      if (!row) throw noPin();
      return describePin(row);
    },

    async put({ nodeId, ...place }: NodePlace, { outputs }: PinRequest, author: Author | null): Promise<Pin> {
      await requireRow(store.findWorkflow(tables, place));
      if (nodeId === triggerPinId) requireTrigger(outputs);
      const { text } = toStorableText(outputs);
      requireSmall(text);
      return await store.inTransaction(tables, async (transaction) => {
        const row = await requireRow(store.lockWorkflow(transaction, place));
        const ids = await nodesOf(transaction, place, row);
        if (nodeId !== triggerPinId && !ids.has(nodeId)) throw noNode();
        requireRoom(text, await sumOtherBytes(transaction, place, nodeId));
        const pinned = { outputs: text, item_count: countItems(outputs), pinned_by_name: author?.name ?? null };
        await putPin(transaction, place, { node_id: nodeId, ...pinned });
        return describePin((await findPin(transaction, place, nodeId)) as PinRow);
      });
    },

    async remove({ nodeId, ...place }: NodePlace): Promise<void> {
      await requireRow(store.findWorkflow(tables, place));
      if ((await deletePins(tables, place, [nodeId])) === 0) throw noPin();
    },

    /** Of nodes as it is stored, by canvas id, and what a run begins with; for runs of the editor and nobody else. */
    async find(place: store.Place): Promise<{ nodes: Map<string, string>; trigger: TriggerData | undefined }> {
      const nodes = new Map((await listPins(tables, place)).map(({ node_id, outputs }) => [node_id, outputs]));
      const trigger = nodes.get(triggerPinId);
      nodes.delete(triggerPinId);
      return { nodes, trigger: trigger === undefined ? undefined : readTrigger(trigger) };
    },

    /** What a run of the editor begins with that nobody gives anything else. */
    async findTrigger(place: store.Place): Promise<TriggerData | undefined> {
      const row = await findPin(tables, place, triggerPinId);
      return row && readTrigger(row.outputs);
    },
  };
}

/** In a transaction that holds the workflow and has changed its canvases: what is pinned of nodes that are on none of them goes. Says how many are left. */
export async function removeLostPins(transaction: store.WorkflowsDb, place: store.Place): Promise<number> {
  const pinned = (await listPinnedIds(transaction, place)).filter((id) => id !== triggerPinId);
  if (pinned.length === 0) return 0;
  const ids = await nodesOf(transaction, place, await store.findWorkflow(transaction, place));
  const lost = pinned.filter((id) => !ids.has(id));
  await deletePins(transaction, place, lost);
  return pinned.length - lost.length;
}

/** Of the draft and of what is published. A draft may have any form. */
async function nodesOf(
  db: store.WorkflowsDb,
  place: store.Place,
  row: store.StoredWorkflow | undefined,
): Promise<Set<string>> {
  const draft = await findDraft(db, place);
  const texts = [draft?.canvas, row?.canvas].filter((text) => typeof text === "string");
  return new Set(texts.flatMap((text) => idsIn(JSON.parse(text) as SavedCanvas)));
}

function idsIn({ nodes }: SavedCanvas): string[] {
  const list: unknown[] = Array.isArray(nodes) ? nodes : [];
  const ids = list.map((node) => (node as { id?: unknown } | null)?.id);
  return ids.filter((id) => typeof id === "string");
}

/** It was checked when it was pinned. */
const readTrigger = (outputs: string): TriggerData => (JSON.parse(outputs) as { out: [TriggerData] }).out[0];

function requireTrigger(outputs: PinRequest["outputs"]): void {
  const { error } = pinnedTrigger.safeParse(outputs, { error: fieldMessage });
  const errors = toFaults(error?.issues ?? [], "/outputs");
  const [first] = errors;
  if (first) throw new Refusal("validation_failed", `${first.pointer.slice(1)} ${first.detail}.`, { errors });
}

const noPin = () => new Refusal("not_found", "Nothing is pinned to this node.");

const noNode = () =>
  new Refusal("unknown_node", "This node is neither in the draft nor in what is published. Save the draft first.");

function requireSmall(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostPinnedBytes) return;
  const detail = `has ${bytes} bytes, and at most ${mostPinnedBytes} can be pinned to a node`;
  throw new Refusal("body_too_large", `outputs ${detail}. Keep fewer items.`, {
    errors: [{ pointer: "/outputs", detail }],
  });
}

/** Whoever holds the workflow is the only one who pins to it. */
function requireRoom(text: string, otherBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes + otherBytes <= mostPinnedBytesOfAll) return;
  const detail = `would make ${bytes + otherBytes} bytes pinned to the nodes of this workflow, and at most ${mostPinnedBytesOfAll} can be`;
  throw new Refusal("body_too_large", `outputs ${detail}. Unpin another node, or keep fewer items.`, {
    errors: [{ pointer: "/outputs", detail }],
  });
}

const countItems = (outputs: PinRequest["outputs"]): number =>
  Object.values(outputs).reduce((sum, items) => sum + items.length, 0);

const describePin = ({ node_id, outputs, pinned_by_name, pinned_at }: PinRow): Pin => ({
  nodeId: node_id,
  outputs: JSON.parse(outputs) as Pin["outputs"],
  pinnedByName: pinned_by_name,
  pinnedAt: pinned_at.toISOString(),
});

const describeHead = (row: Awaited<ReturnType<typeof listPinHeads>>[number]): PinHead => ({
  nodeId: row.node_id,
  pinnedByName: row.pinned_by_name,
  pinnedAt: row.pinned_at.toISOString(),
  bytes: row.bytes,
  items: row.item_count,
});
