import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

export type Received = { at: number; path: string; headers: Record<string, string>; body: string };
type Answer = { status?: number; headers?: Record<string, string>; hang?: true; endless?: true };

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>;

/** Somebody else's server that takes webhooks on loopback. Each path answers 204 until it is told otherwise. */
export async function startWebhookReceiver() {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const hanging = new Map<string, ServerResponse[]>();
  let brokenOff = 0;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const at = performance.now();
    received.push({ at, path, headers: request.headers as Record<string, string>, body: await text(request) });
    const { status = 204, headers = {}, hang, endless } = answers.get(path) ?? {};
    response.on("close", () => {
      if (!response.writableFinished) brokenOff++;
    });
    if (hang) {
      hanging.set(path, [...(hanging.get(path) ?? []), response]);
      return;
    }
    response.writeHead(status, headers);
    if (!endless) return void response.end();
    while (!response.destroyed) {
      response.write(Buffer.alloc(65_536, "x"));
      await delay(5);
    }
  }

  const server = createServer((request, response) => void take(request, response).catch(() => {}));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const of = (path: string) => received.filter((one) => one.path === path);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of,
    answer: (path: string, answer: Answer) => void answers.set(path, answer),
    /** Requests on a path that hangs. */
    waitingOn: (path: string) => hanging.get(path)?.length ?? 0,
    answerWaiting(path: string, status: number): void {
      for (const response of hanging.get(path) ?? []) response.writeHead(status).end();
    },
    brokenOff: () => brokenOff,
    async waitFor(path: string, count = 1, limitMs = 10_000): Promise<Received[]> {
      for (const deadline = Date.now() + limitMs; of(path).length < count; await delay(20))
        if (Date.now() > deadline) throw new Error(`${path} received ${of(path).length} of ${count} events in time`);
      return of(path);
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As the Standard Webhooks specification tells receivers to do it, without a look at how the product does. */
export function isSignedWith({ headers, body }: Received, secret: string, now = new Date()): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > 300) return false;
  const expected = createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest();
  return signatures.split(" ").some((entry) => {
    const [version, signature = ""] = entry.split(",");
    const given = Buffer.from(signature, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
