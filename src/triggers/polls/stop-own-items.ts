import type { Log } from "../../base/log.ts";
import type { PollItem } from "../../contract/poll.ts";
import type { ReadRecentOutputs } from "../../runs/read/recent-outputs.ts";
import type { Database } from "../../storage/database.ts";
import type { FindActingNodes } from "../acting-nodes.ts";
import { countOwnEvent, noteOwnSender } from "../own-events-store.ts";
import { triggerTables } from "../store.ts";
import type { createTurnOff } from "../turn-off.ts";
import type { Look } from "./look.ts";

export type StopOwnItems = ReturnType<typeof createStopOwnItems>;

type Options = {
  db: Database;
  log: Log;
  findActingNodes: FindActingNodes;
  readRecentOutputs: ReadRecentOutputs;
  turnOff: ReturnType<typeof createTurnOff>;
  /** So often its own effects may start a workflow in an hour. */
  most: number;
};

/** What the workflow did at the provider lately: names that its nodes gave out, and the sender that it is. */
type OwnEffects = { names: string[]; sender: string | undefined };

const mostNames = 5_000;
const longestName = 500;
const hourMs = 3_600_000;
const askAgainMs = 24 * hourMs;
const askLimitMs = 3_000;

/**
 * Turns a poll off whose workflow makes what it looks for: the workflow does something at that provider, and the item is named in what its nodes
 * gave out within the last hour, or was sent by the account itself. Looks are minutes apart, so it is counted by the hour.
 */
export function createStopOwnItems({ db, log, findActingNodes, readRecentOutputs, turnOff, most }: Options) {
  const tables = triggerTables(db);
  /** By look, because each of its items asks for them. */
  const known = new WeakMap<Look, Promise<OwnEffects | null>>();

  async function findOwnSender({ row, target, account }: Look): Promise<string | undefined> {
    const ask = target.poll.findOwnSender;
    if (ask === null) return undefined;
    const { own_sender_asked_at: askedAt, claimed_at: now } = row;
    if (askedAt !== null && now.getTime() - askedAt.getTime() < askAgainMs) return row.own_sender ?? undefined;
    const sender = await account.ask(ask, askLimitMs).catch((error: unknown) => {
      log.warn(
        { triggerId: row.id, reason: (error as Error).message },
        "Which sender an account is could not be asked.",
      );
      return undefined;
    });
    await noteOwnSender(tables, row, sender?.toLowerCase() ?? null);
    return sender?.toLowerCase();
  }

  /** Null where the workflow does nothing there. */
  async function findEffects(look: Look): Promise<OwnEffects | null> {
    const { row, target } = look;
    const nodeTypes = await findActingNodes(row);
    if (nodeTypes.length === 0) return null;
    const place = target.poll.madeIn?.(target.parameters).toLowerCase() ?? "";
    const since = new Date(row.claimed_at.getTime() - hourMs);
    const nodes = await readRecentOutputs({
      organizationId: row.organization_id,
      workflowId: row.workflow_id,
      nodeTypes,
      since,
    });
    const names = new Set<string>();
    for (const { input, outputs } of nodes)
      if (input?.toLowerCase().includes(place) ?? place === "") collectNames(JSON.parse(outputs), names);
    return { names: [...names], sender: await findOwnSender(look) };
  }

  return async (look: Look, item: PollItem, payload: unknown): Promise<void> => {
    const finding = known.get(look) ?? findEffects(look);
    known.set(look, finding);
    const effects = await finding;
    if (effects === null) return;
    const { poll } = look.target;
    const isSent = effects.sender !== undefined && poll.senderOf?.(payload).id === effects.sender;
    if (!isSent && !effects.names.some((name) => poll.isNamed(name, { ...item, payload }))) return;
    if ((await countOwnEvent(tables, look.row, { to: "", minutes: 60 })) <= most) return;
    await turnOff(look.row, { most, within: "an hour", change: "the workflow or what the trigger looks at" });
  };
}

function collectNames(value: unknown, names: Set<string>): void {
  if (names.size >= mostNames) return;
  if (typeof value === "string" ? value.length <= longestName : typeof value === "number") names.add(String(value));
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) collectNames(part, names);
}
