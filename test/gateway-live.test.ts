import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ToolCallList } from "../src/history/wire.ts";
import type { Browser } from "./support/browser-client.ts";
import { followEvents, type Seen } from "./support/follow-events.ts";
import { type GatewayPair, killGateway, startClients, startGatewayPair, type Team } from "./support/gateway-pair.ts";
import { password } from "./support/people.ts";
import { reportRounds, roundsLimitMs, roundsOf } from "./support/rounds.ts";
import type { SpawnedServer } from "./support/spawned-server.ts";

const kills = roundsOf(20, 100);
let pair: GatewayPair;
let platforms: SpawnedServer[];

beforeAll(async () => {
  pair = await startGatewayPair();
  platforms = await Promise.all([pair.start(undefined, "platform"), pair.start(undefined, "platform")]);
});
afterAll(async () => {
  await Promise.all((platforms ?? []).map(killGateway));
  await pair?.stop();
});

const at = (servers: SpawnedServer[], index: number) => servers[index % 2] as SpawnedServer;

async function signInEverywhere(team: Team): Promise<Browser[]> {
  const person = { name: "Ann", email: "ann@example.com", password };
  await pair.parts.identity.accounts.create(person);
  await pair.parts.identity.organizations.addMember(team.organizationId, person.email, "viewer");
  return await Promise.all(
    platforms.map(async (platform) => {
      const browser = platform.browser();
      expect((await browser.post("/api/sign-in", person)).status).toBe(200);
      return browser;
    }),
  );
}

/** The whole list, page by page, while it grows. */
async function readList(browser: Browser, { organizationId }: Team): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let cursor = "";
  let before = "~";
  do {
    const { body } = await browser.get(`/api/organizations/${organizationId}/tool-calls?limit=20${cursor}`);
    const { data, nextCursor } = body as unknown as ToolCallList;
    for (const { id, status } of data) {
      expect(id < before).toBe(true);
      before = id;
      found.set(id, status);
    }
    cursor = nextCursor ? `&cursor=${encodeURIComponent(nextCursor)}` : "";
  } while (cursor);
  return found;
}

it(
  "a live view that loses its connection again and again, and both kinds of server too, shows what the list has and nothing else",
  async () => {
    const { gateways } = pair;
    const team = await pair.createTeam("watched");
    const browsers = await signInEverywhere(team);
    const live = new Map<string, string>();
    const take = (events: Seen[]) => {
      for (const { name, data } of events) if (name === "tool-call") live.set(data.id, data.status);
    };
    let crowd = gateways.map((gateway) => startClients(2, gateway, team));
    let lastEventId: string | undefined;
    let known = new Map<string, string>();
    for (let kill = 0; kill < kills; kill++) {
      const stream = await followEvents(at(platforms, kill).platformUrl, browsers[kill % 2] as Browser, team.organizationId, lastEventId);
      await delay(Math.random() * 60);
      stream.kill();
      lastEventId = stream.lastId;
      take(stream.events);
      if (kill % 10 !== 9) continue;
      const list = await readList(browsers[0] as Browser, team);
      expect([...known.keys()].filter((id) => !list.has(id))).toEqual([]);
      known = list;
      const place = Math.floor(kill / 10) % 2;
      const [gateway, platform] = [at(gateways, place), at(platforms, place)];
      await Promise.all([killGateway(gateway), killGateway(platform)]);
      await Promise.all(crowd.map(({ stop }) => stop()));
      gateways[place] = await pair.start(gateway.ports);
      platforms[place] = await pair.start(platform.ports, "platform");
      crowd = gateways.map((one) => startClients(2, one, team));
    }
    await Promise.all(crowd.map(({ stop }) => stop()));
    const last = await followEvents(at(platforms, 0).platformUrl, browsers[0] as Browser, team.organizationId, lastEventId);
    await expect
      .poll(
        async () => {
          take(last.events);
          const list = await readList(browsers[1] as Browser, team);
          return {
            onlyLive: [...live].filter(([id, status]) => list.get(id) !== status),
            onlyListed: [...list].filter(([id, status]) => live.get(id) !== status),
          };
        },
        { timeout: 60_000, interval: 250 },
      )
      .toEqual({ onlyLive: [], onlyListed: [] });
    last.kill();
    expect(live.size).toBeGreaterThan(kills);
    reportRounds({ kills, records: live.size, reloads: last.events.filter(({ name }) => name === "reload").length });
  },
  roundsLimitMs,
);
