import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { toEvent } from "./mcp-message.ts";

/** What a slow reader may leave unread before news about progress is left out. */
const maxUnreadBytes = 64 * 1024;

/** An answer as server-sent events, once it is opened: messages, then the answer itself. Comments keep the connection from looking dead. */
export function createEventStream(reply: FastifyReply, keepAliveMs: number) {
  let events: Readable | undefined;
  let keepAlive: NodeJS.Timeout | undefined;

  function write(text: string): void {
    if (events && !events.destroyed && events.readableLength < maxUnreadBytes) events.push(text);
  }

  return {
    isOpen: () => events !== undefined,

    open(): (message: string) => void {
      events = new Readable({ read() {} });
      keepAlive = setInterval(() => write(": keep-alive\n\n"), keepAliveMs);
      events.once("close", () => clearInterval(keepAlive));
      reply.header("X-Accel-Buffering", "no").type("text/event-stream; charset=utf-8").send(events);
      write(": open\n\n");
      return (message) => write(toEvent(message));
    },

    end(answer: string | undefined): FastifyReply {
      clearInterval(keepAlive);
      if (answer !== undefined && !events?.destroyed) events?.push(toEvent(answer));
      events?.push(null);
      return reply;
    },
  };
}
