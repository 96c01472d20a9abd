import { callerKey, type McpCaller } from "./mcp-caller.ts";
import { isRequestId, type RequestId } from "./mcp-message.ts";

export type CallsInFlight = ReturnType<typeof createCallsInFlight>;

/** The running calls of this process by who made them and under which id, so that a later message can cancel one. */
export function createCallsInFlight() {
  const cancels = new Map<string, Set<() => void>>();
  const keyOf = (caller: McpCaller, id: RequestId) => `${callerKey(caller)} ${JSON.stringify(id)}`;

  return {
    /** Returns what to call when it has ended. */
    add(caller: McpCaller, id: RequestId, cancel: () => void): () => void {
      const key = keyOf(caller, id);
      const same = cancels.get(key) ?? new Set();
      cancels.set(key, same.add(cancel));
      return () => {
        same.delete(cancel);
        if (same.size === 0) cancels.delete(key);
      };
    },

    /** Several clients may share a key and count their ids alike: what is not unique is not cancelled. */
    cancel(caller: McpCaller, id: unknown): void {
      const same = isRequestId(id) ? cancels.get(keyOf(caller, id)) : undefined;
      if (same?.size === 1) for (const cancel of same) cancel();
    },
  };
}
