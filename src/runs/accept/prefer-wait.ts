import type { FastifyReply } from "fastify";

const longestWaitSeconds = 60;

/** RFC 7240. What is not understood is ignored, as that document asks. */
export function readWait(header: string | string[] | undefined): number {
  const [, seconds] = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?(?:$|[,;\s])/i.exec(String(header ?? "")) ?? [];
  return Math.min(Number(seconds ?? 0), longestWaitSeconds) * 1000;
}

/** Aborted when whoever waits has gone. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  // An answer that was sent is closed too, and nobody waits then.
  reply.raw.once("close", () => reply.raw.writableFinished || left.abort());
  return left.signal;
}
