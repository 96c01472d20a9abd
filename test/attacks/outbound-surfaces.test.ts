import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CredentialTypeEntry } from "../../src/catalog/wire.ts";
import { signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { accountLeadingTo, type Variant } from "../support/vault/account-leading-to.ts";

let app: TestApp;
let owner: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;
let types: CredentialTypeEntry[];
let connections = 0;
/** Whatever on this machine must not be reached: it listens on every address and counts who comes. */
const inside = createServer((socket) => {
  connections += 1;
  socket.on("error", () => {}).destroy();
});

beforeAll(async () => {
  app = await startTestApp();
  owner = await signUpOwner(app, "Ann");
  path = `/api/organizations/${owner.organizationId}`;
  types = (await owner.browser.get("/api/credential-types")).body.data;
  inside.listen(0);
  await once(inside, "listening");
});
afterAll(async () => {
  await app?.stop();
  inside.close();
});

// The rules for addresses have a table of their own (src/base/safe-fetch-attacks.test.ts), which also knows those outside of this machine.
const hosts = [
  "127.0.0.1",
  "localhost",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::127.0.0.1]",
  "2130706433",
  "0x7f.1",
  "0177.0.0.1",
  "127.1",
  "0.0.0.0",
];
const port = () => (inside.address() as AddressInfo).port;

/** Why an account that leads to `host` does not work. */
async function tryAccount(type: CredentialTypeEntry, variant: Variant, host: string): Promise<string> {
  const data = accountLeadingTo({ host, port: port() }, type, variant);
  const made = await owner.browser.post(`${path}/credentials`, { type: type.type, name: "inside", data });
  if (made.status !== 201) return made.text;
  return (await owner.browser.post(`${path}/credentials/${made.body.id}/test`)).text;
}

describe("nothing that an organization can enter leads to this machine", () => {
  it("not the address of any kind of account, when it is tested", async () => {
    const others = new Set<string>();
    for (const type of types.filter(({ canBeTested }) => canBeTested))
      for (const [variant, host] of type.variants.flatMap((one) => hosts.map((name) => [one, name] as const))) {
        const said = await tryAccount(type, variant, host);
        if (!/is not a public address/.test(said))
          others.add(`${type.type} ${variant.kind} ${host} ${said.slice(0, 200)}`);
        expect([type.type, variant.kind, host, connections]).toEqual([type.type, variant.kind, host, 0]);
      }
    expect([...others]).toEqual([]);
  }, 60_000);

  it("not the address that a tool is given", async () => {
    const account = { type: "http_auth", name: "any", data: { kind: "custom", authKind: "none" } };
    const { body } = await owner.browser.post(`${path}/credentials`, account);
    for (const host of hosts) {
      const parameters = { method: "GET", url: `http://${host}:${port()}/` };
      const asked = { parameters, credentials: { http_auth: body.reference }, confirm: true };
      const { text } = await owner.browser.post(`${path}/tools/http_request/call`, asked);
      expect(text).toContain("is not a public address");
    }
    expect(connections).toBe(0);
  });

  it("not the address of an account, when a webhook is set up with it", async () => {
    const canvas = { nodes: [{ id: "a", nodeId: "system_date_time", parameters: {} }], edges: [] };
    const { id: workflowId } = (await owner.browser.post(`${path}/workflows`, { name: "Any", canvas })).body;
    const asked = { workflowId, kind: "webhook", name: "Any", provider: "github", places: ["a/b"], register: true };
    for (const host of hosts) {
      const data = { kind: "bearer", accessToken: "t", baseUrl: `http://${host}:${port()}` };
      const made = await owner.browser.post(`${path}/credentials`, { type: "github", name: "inside", data });
      const { text } = await owner.browser.post(`${path}/triggers`, { ...asked, credentialId: made.body.id });
      expect(made.status === 201 ? text : made.text).toContain("is not a public address");
    }
    expect(connections).toBe(0);
  });

  it("not the address of an endpoint for events, at first or later", async () => {
    for (const host of hosts)
      for (const scheme of ["http", "https"]) {
        const url = `${scheme}://${host}:${port()}/`;
        const { status, body } = await owner.browser.post(`${path}/event-endpoints`, { url, types: ["run.failed"] });
        expect([url, status, body.errors?.[0]?.pointer]).toEqual([url, 400, "/url"]);
      }
    expect(connections).toBe(0);
  });

  it("not the address given to the doctor", async () => {
    for (const host of hosts) {
      const { status } = await owner.browser.post("/api/doctor", {
        url: `http://${host}:${port()}/github/mcp`,
        organizationId: owner.organizationId,
      });
      expect(status).toBe(400);
    }
    expect(connections).toBe(0);
  });

  it("not the id of a client, which is the address of its description", async () => {
    for (const host of hosts) {
      const query = new URLSearchParams({
        client_id: `https://${host}:${port()}/client`,
        response_type: "code",
        redirect_uri: "https://example.com/cb",
      });
      const { status } = await fetch(`${app.gatewayUrl}/oauth/authorize?${query}`, { redirect: "manual" });
      expect(status).toBe(400);
    }
    expect(connections).toBe(0);
  });
});
