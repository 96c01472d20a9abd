import type { FastifyReply } from "fastify";
import { Refusal } from "../base/refusal.ts";

/** Ends what is done for a caller who does not wait for the answer. */
export function abortedOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const stop = new AbortController();
  raw.once(
    "close",
    () => raw.writableFinished || stop.abort(new Refusal("cancelled", "The caller cancelled the call.")),
  );
  return stop.signal;
}
