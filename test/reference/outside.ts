import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export type Heard = { title: string; at: number };

/**
 * How the provider answers the nth request with a title, from 1: `fine`, `fails-2` (the first two), `fails-odd` (those about an odd number),
 * `hangs` (never). Its answer depends on nothing else, so that it is the same whoever works out what has to happen.
 */
export function answerOf(
  plan: string,
  title: string,
  nth: number,
): { number: number; title: string } | "fails" | "hangs" {
  const said = Number(title.slice(title.lastIndexOf("/") + 1));
  const number = Number.isNaN(said) ? 7 : said;
  if (plan === "hangs") return "hangs";
  if (plan === "fails-odd" && number % 2 === 1) return "fails";
  const failures = Number(/^fails-(\d+)$/.exec(plan)?.[1] ?? 0);
  return nth <= failures ? "fails" : { number: number + 1, title };
}

/** A provider on loopback that writes down every request, in the order in which they came. */
export async function startOutside() {
  const heard = new Map<string, Heard[]>();
  const counts = new Map<string, number>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { title } = (await json(request)) as { title: string };
    const nth = (counts.get(title) ?? 0) + 1;
    counts.set(title, nth);
    const [about = ""] = title.split("/");
    heard.set(about, [...(heard.get(about) ?? []), { title, at: performance.now() }]);
    const given = answerOf(request.url?.split("/")[3] ?? "", title, nth);
    if (given === "hangs") return;
    response.writeHead(given === "fails" ? 422 : 201, { "content-type": "application/json" });
    response.end(JSON.stringify(given === "fails" ? { message: `Nobody can open ${title}` } : given));
  }

  // Whoever goes away in the middle of a request is missed by nobody.
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What was asked about one thing: titles begin with its name and a slash. */
    heardAbout: (about: string): Heard[] => heard.get(about) ?? [],
    forget(about: string): void {
      for (const { title } of heard.get(about) ?? []) counts.delete(title);
      heard.delete(about);
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
