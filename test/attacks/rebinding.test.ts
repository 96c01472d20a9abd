import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CredentialTypeEntry } from "../../src/catalog/wire.ts";
import { type AttackedServer, startAttackedServer } from "../support/attacked-server.ts";
import { roundsOf } from "../support/rounds.ts";
import { accountLeadingTo } from "../support/vault/account-leading-to.ts";

const script = fileURLToPath(new URL("../support/rebind-names.mjs", import.meta.url));
type Target = { port: number; reached: { outside: number; inside: number } };
const listening: Server[] = [];

/** On 127.0.0.1, which may be reached, and on 127.0.0.2, which may not. */
async function openTarget(): Promise<Target> {
  const reached = { outside: 0, inside: 0 };
  const server = createServer((socket) => {
    reached[socket.localAddress?.endsWith("127.0.0.1") ? "outside" : "inside"] += 1;
    socket.on("error", () => {}).destroy();
  }).listen(0);
  listening.push(server);
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, reached };
}

let attacked: AttackedServer;
beforeAll(async () => {
  attacked = await startAttackedServer({ NODE_OPTIONS: `--import ${script}`, OUTBOUND_ALLOWED_CIDRS: "127.0.0.1/32" });
});
afterAll(async () => {
  await attacked?.stop();
  for (const server of listening) server.close();
});

let names = 0;
/** Is the allowed address as often as that, and the forbidden one from then on. */
const nameAllowed = (times: number) => `${times}-n${names++}.rebind.test`;
const timesAllowed = Array.from({ length: roundsOf(3, 5) }, (_, times) => times);

/** Whatever is asked for the name when: the address that was judged is the one that is reached. */
async function expectNeverInside(send: (goal: { host: string; port: number }) => Promise<unknown>): Promise<void> {
  const { port, reached } = await openTarget();
  await Promise.all(timesAllowed.map((times) => send({ host: nameAllowed(times), port })));
  expect(reached.inside).toBe(0);
  // Otherwise nothing was tried.
  expect(reached.outside).toBeGreaterThan(0);
}

describe("a name that becomes another address", () => {
  it("leads nowhere else as the address of any kind of account", async () => {
    const { owner, path } = attacked;
    const types: CredentialTypeEntry[] = (await owner.get("/api/credential-types")).body.data;
    const tried = types
      .filter(({ canBeTested }) => canBeTested)
      .flatMap((type) => type.variants.map((variant) => ({ type, variant })));
    const tryOne = ({ type, variant }: (typeof tried)[number]) =>
      expectNeverInside(async (goal) => {
        const data = accountLeadingTo(goal, type, variant);
        const { body, status } = await owner.post(`${path}/credentials`, { type: type.type, name: "rebinding", data });
        expect([type.type, variant.kind, status]).toEqual([type.type, variant.kind, 201]);
        await owner.post(`${path}/credentials/${body.id}/test`);
      });
    await Promise.all(tried.map(tryOne));
    expect(tried.map(({ type }) => type.type)).toEqual(
      expect.arrayContaining(["postgres", "mysql", "redis", "email", "s3", "github"]),
    );
  }, 120_000);

  it("leads nowhere else as the address that a tool is given", async () => {
    const { owner, path } = attacked;
    const account = { type: "http_auth", name: "any", data: { kind: "custom", authKind: "none" } };
    const { body } = await owner.post(`${path}/credentials`, account);
    const call = (tool: string, parameters: unknown) =>
      owner.post(`${path}/tools/${tool}/call`, {
        parameters,
        credentials: { http_auth: body.reference },
        confirm: true,
      });
    await expectNeverInside(({ host, port }) =>
      call("http_request", { method: "GET", url: `http://${host}:${port}/` }),
    );
    await expectNeverInside(({ host, port }) =>
      call("http_request", { method: "GET", url: `https://${host}:${port}/` }),
    );
  });

  it("leads nowhere else as the address of events", async () => {
    const { owner, path } = attacked;
    const isTried = async (endpointId: string) =>
      (await owner.get(`${path}/event-endpoints/${endpointId}/deliveries`)).body.data[0].attempts > 0;
    await expectNeverInside(async ({ host, port }) => {
      const { status, body } = await owner.post(`${path}/event-endpoints`, {
        url: `https://${host}:${port}/`,
        types: ["run.failed"],
      });
      if (status !== 201) return;
      await owner.post(`${path}/event-endpoints/${body.id}/test`);
      await expect.poll(() => isTried(body.id), { timeout: 15_000 }).toBe(true);
      await owner.delete(`${path}/event-endpoints/${body.id}`);
    });
  }, 60_000);

  it("leads nowhere else as the address of a client's description", async () => {
    await expectNeverInside(({ host, port }) => {
      const client_id = `https://${host}:${port}/client`;
      const query = new URLSearchParams({ client_id, response_type: "code", redirect_uri: "https://example.com/cb" });
      return fetch(`${attacked.server.gatewayUrl}/oauth/authorize?${query}`, { redirect: "manual" });
    });
  });
});
