import { Socket } from "node:net";
import type { FastifyRequest } from "fastify";

export type ConnectionLimits = {
  /** For a request to arrive: its headers, and all of it. */
  requestMs: number;
  /** For the rest of a body that was refused, once the refusal is sent. */
  drainMs: number;
  drainBytes: number;
};

export const usualLimits: ConnectionLimits = { requestMs: 60_000, drainMs: 10_000, drainBytes: 32 * 1024 * 1024 };

/** How often connections are looked through; Node's own half minute would be half a limit more. */
const lookMs = 1000;

/** The server's settings for them. */
export const toServerLimits = ({ requestMs }: ConnectionLimits) => ({
  requestTimeout: requestMs,
  // None: a slow or emulated machine needs longer than the usual ten seconds for all routes, and would not start.
  pluginTimeout: 0,
  http: {
    headersTimeout: requestMs,
    connectionsCheckingInterval: lookMs,
    maxHeaderSize: 16 * 1024,
    // A request without Host is refused by the host check, which answers with a body.
    requireHostHeader: false,
  },
});

/**
 * A connection that is closed while its client still sends is reset, and many a client then never sees what it was answered.
 * So the rest of the body is read for a while and thrown away, by nobody who could take it for a request.
 */
export function drainBeforeClosing({ raw }: FastifyRequest, { drainMs, drainBytes }: ConnectionLimits): void {
  if (raw.complete || (raw.headers["content-length"] === undefined && raw.headers["transfer-encoding"] === undefined))
    return;
  const { socket } = raw;
  socket.destroySoon = () =>
    raw.complete ? Socket.prototype.destroySoon.call(socket) : drain(socket, { drainMs, drainBytes });
}

function drain(socket: Socket, limits: Pick<ConnectionLimits, "drainMs" | "drainBytes">): void {
  const impatience = setTimeout(() => socket.destroy(), limits.drainMs);
  impatience.unref();
  socket.once("close", () => clearTimeout(impatience));
  socket.destroySoon = () => socket.destroy();
  // A body that came faster than it was read has stopped its socket, which only the HTTP parser can start again, and does in the next tick.
  socket.resume();
  process.nextTick(() => throwAway(socket, limits.drainBytes));
  socket.end();
}

function throwAway(socket: Socket, atMostBytes: number): void {
  let left = atMostBytes;
  // The HTTP parser goes first: what comes now is nobody's request.
  socket.removeAllListeners("data").removeAllListeners("end");
  socket.on("data", (bytes: Buffer) => {
    left -= bytes.length;
    if (left < 0) socket.destroy();
  });
  socket.on("error", () => socket.destroy());
  socket.on("end", () => socket.destroySoon());
}
