import type { Log } from "../base/log.ts";
import type { Database } from "../storage/database.ts";
import { notify } from "./announce-store.ts";

type Changed = { organizationId: string; id: string };

/** PostgreSQL takes 8000 bytes in one message, and an id is 32 of them. */
const idsPerMessage = 200;
const collectMs = 50;

/** Tells all processes what changed, all changes of a short while together. Losing one is harmless: it is only a hint. */
export function createAnnounce({ db, channel, log }: { db: Database; channel: string; log: Log }) {
  let waiting = new Map<string, Set<string>>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  async function send(): Promise<void> {
    const messages = [...waiting].flatMap(([topic, ids]) => toMessages(topic, [...ids]));
    waiting = new Map();
    await notify(db, channel, messages).catch((error: Error) =>
      log.debug({ reason: error.message }, "changes were not announced"),
    );
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      sending = send();
    }, collectMs);
  }

  return {
    add(kind: string, changed: readonly Changed[]): void {
      for (const { organizationId, id } of changed) {
        const topic = `${kind} ${organizationId}`;
        const ids = waiting.get(topic) ?? new Set();
        waiting.set(topic, ids.add(id));
      }
      if (waiting.size > 0) schedule();
    },

    async stop(): Promise<void> {
      clearTimeout(timer);
      await sending;
      if (waiting.size > 0) await send();
    },
  };
}

function toMessages(topic: string, ids: string[]): string[] {
  const messages: string[] = [];
  for (let start = 0; start < ids.length; start += idsPerMessage)
    messages.push(
      `${topic} ${ids
        .slice(start, start + idsPerMessage)
        .join("")
        .replaceAll("-", "")}`,
    );
  return messages;
}

/** Undefined for what is not a message of ours. */
export function readAnnouncement(payload: string): { kind: string; organizationId: string; ids: string[] } | undefined {
  const match = /^([a-z-]+) ([0-9a-f-]{36}) ((?:[0-9a-f]{32})+)$/.exec(payload);
  const [, kind, organizationId, digits] = match ?? [];
  if (kind === undefined || organizationId === undefined || digits === undefined) return undefined;
  return { kind, organizationId, ids: digits.match(/.{32}/g) ?? [] };
}
