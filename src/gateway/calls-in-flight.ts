import { createHash } from "node:crypto";
import { newId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { Processes } from "../slots/processes.ts";
import { callerKey, type McpCaller } from "./mcp-caller.ts";
import { isRequestId, type RequestId } from "./mcp-message.ts";

export type CallsInFlight = ReturnType<typeof createCallsInFlight>;

type Named<Id> = { caller: McpCaller; serverId: string; id: Id };
type Cancel = () => void;

/** How long other processes have to say that they run such a call too; one that is held up for longer is not counted. */
const objectionMs = 250;
const forgetMs = 5_000;

/**
 * The running calls of this process by who made them, at which server and under which id, so that a later message can cancel one, whichever
 * process gets it. Several clients may share a key and count their ids alike: what is not unique among all processes is not cancelled.
 *
 * Who gets the message asks all processes. Each that has such a call says so; one that has a single call and hears nobody else say so cancels it.
 */
export function createCallsInFlight({ processes, log }: { processes: Processes; log: Log }) {
  const cancels = new Map<string, Set<Cancel>>();
  const self = newId();
  /** Question → the only call here that it can mean. */
  const asked = new Map<string, Cancel>();

  /** Losing one is harmless: then the call goes on. */
  async function tellOr(word: string, onNobodyElse: () => void): Promise<void> {
    try {
      if (!(await processes.tell(word))) onNobodyElse();
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "a call was not cancelled");
    }
  }

  function onAsk(question: string, key: string): void {
    const same = cancels.get(key);
    if (!same) return;
    const cancel = onlyOne(same);
    if (cancel) {
      asked.set(question, cancel);
      setTimeout(() => asked.delete(question), forgetMs).unref();
    }
    void tellOr(`cancel-have ${question} ${self}`, () => asked.get(question)?.());
  }

  function onHave(question: string, holder: string): void {
    if (holder !== self) asked.delete(question);
    // Hearing itself shows that words arrive. After the pause it first hears what came while this process was busy.
    else setTimeout(() => setImmediate(() => asked.get(question)?.()), objectionMs).unref();
  }

  processes.hear((word) => {
    const [kind, question = "", about = ""] = word.split(" ");
    if (kind === "cancel-ask") onAsk(question, about);
    if (kind === "cancel-have") onHave(question, about);
  });

  return {
    /** Returns what to call when it has ended. */
    add(call: Named<RequestId>, cancel: Cancel): () => void {
      const key = keyOf(call);
      const same = cancels.get(key) ?? new Set();
      cancels.set(key, same.add(cancel));
      return () => {
        same.delete(cancel);
        if (same.size === 0) cancels.delete(key);
      };
    },

    async cancel({ id, ...whose }: Named<unknown>): Promise<void> {
      if (!isRequestId(id)) return;
      const key = keyOf({ id, ...whose });
      const same = cancels.get(key) ?? new Set();
      if (same.size > 1) return;
      const cancel = onlyOne(same);
      await tellOr(`cancel-ask ${newId()} ${key}`, () => cancel?.());
    },
  };
}

const onlyOne = (cancels: Set<Cancel>): Cancel | undefined => (cancels.size === 1 ? [...cancels][0] : undefined);

/** Of one length, and without the id itself: that is a text of any kind and size. */
const keyOf = ({ caller, serverId, id }: Named<RequestId>): string =>
  createHash("sha256")
    .update(`${caller.organizationId} ${callerKey(caller)} ${serverId} ${JSON.stringify(id)}`)
    .digest("base64url");
