import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../support/browser-client.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";

const secret = "canary-typed-by-hand-4711";
let provider: FakeProvider;
let mcp: McpApp;
let path: string;
let reference: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  mcp = await startMcpApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  path = `/api/organizations/${mcp.owner.organizationId}`;
  const made = await mcp.owner.browser.post(`${path}/credentials`, {
    type: "http_auth",
    name: "Open",
    data: { authKind: "none" },
  });
  reference = `credential:organization:${made.body.id}`;
});
afterAll(async () => {
  await mcp.stop();
  await provider.stop();
});

const request = async (parameters: object) => {
  const given = { ...parameters, credentials: { http_auth: reference } };
  return (await mcp.client.modern("http", "tools/call", { name: "http_request", arguments: given })).json.result;
};
const newest = async () => {
  const { body } = await mcp.owner.browser.get(`${path}/tool-calls?limit=1`);
  return await mcp.owner.browser.get(`${path}/tool-calls/${body.data[0].id}`);
};
const stored = async () => {
  const rows = await mcp.app.database.query("SELECT row_to_json(tool_call)::text AS row FROM tool_call");
  return JSON.stringify(rows);
};

it("reaches the provider and is answered to its caller, and is in no record", async () => {
  provider.script([{ json: { youSent: secret } }]);
  const result = await request({
    method: "POST",
    url: `${provider.url}/x?api_key=${secret}`,
    headers: { Authorization: `Bearer ${secret}` },
  });
  expect(provider.requests()[0]?.headers.authorization).toBe(`Bearer ${secret}`);
  expect(JSON.stringify(result)).toContain(secret);
  const { body, text } = await newest();
  expect(text).not.toContain(secret);
  expect(body).toMatchObject({
    status: "success",
    sanitized: true,
    parameters: { method: "POST", headers: { Authorization: "[secret]" } },
  });
  expect(JSON.stringify(body.outputs)).toContain("[secret]");
  expect(await stored()).not.toContain(secret);
});

it("is in no record of a call that failed or was refused, nor in what it was told", async () => {
  await request({ url: `http://127.0.0.1:1/${secret}`, headers: { "X-Api-Key": secret } });
  expect((await newest()).body).toMatchObject({ status: "failed" });
  await request({ url: `nonsense ${secret}`, password: secret });
  expect((await newest()).body).toMatchObject({ status: "refused" });
  expect(await stored()).not.toContain(secret);
});

it("is asked for again when the call is to be repeated", async () => {
  provider.script([{ json: {} }]);
  const parameters = { url: `${provider.url}/x`, headers: { "X-Api-Key": secret } };
  await request(parameters);
  const { body } = await newest();
  const replay = (changes: object) =>
    mcp.owner.browser.post(`${path}/tool-calls/${body.id}/replay`, { confirm: true, ...changes });
  const { detail } = expectProblem(await replay({}), { status: 409, code: "conflict" });
  expect(detail).toBe("The parameters of this call held a secret, which is not kept. Send them to run it again.");
  provider.script([{ json: {} }]);
  expect((await replay({ parameters })).body).toMatchObject({
    status: "success",
    parameters: { headers: { "X-Api-Key": "[secret]" } },
  });
  expect(await stored()).not.toContain(secret);
});

const weir = "Kestrel 9 over the weir";
const store = async (browser: Browser, organizationId: string, token: string) => {
  const data = { authKind: "bearer", secret: token, baseUrl: "https://vault.test" };
  const made = await browser.post(`/api/organizations/${organizationId}/credentials`, {
    type: "http_auth",
    name: "Stored",
    data,
  });
  expect(made.status).toBe(201);
};
const send = async (text: string) => {
  provider.script([{ json: { youSent: text } }]);
  await request({
    method: "POST",
    url: `${provider.url}/x`,
    body: { note: text, letter: `It is ${text}, is it not?` },
  });
  return await newest();
};
const hidden = { body: { note: "[secret]", letter: "It is [secret], is it not?" } };

describe("the secret of a connected account", () => {
  it("is recognised whatever field it is typed into", async () => {
    await store(mcp.owner.browser, mcp.owner.organizationId, weir);
    const { body, text } = await send(weir);
    expect(text).not.toContain(weir);
    expect(body.parameters).toMatchObject(hidden);
    expect(await stored()).not.toContain(weir);
  });

  it("tells nothing to another organization, whose records show what was typed", async () => {
    const { browser } = mcp.owner;
    const other = await browser.post("/api/organizations", { name: "Others" });
    await store(browser, other.body.id, "belongs to the others");
    expect((await send("belongs to the others")).body.parameters).toMatchObject({
      body: { note: "belongs to the others" },
    });
  });

  it("is recognised when an earlier version stored it", async () => {
    await mcp.app.database.query("UPDATE credential SET fingerprints = NULL");
    await mcp.app.parts.vault.fingerprintUpkeep.run();
    expect((await send(weir)).body.parameters).toMatchObject(hidden);
  });

  it("is not recognised when it is shorter than eight characters, which could be found out by trying", async () => {
    await store(mcp.owner.browser, mcp.owner.organizationId, "seven77");
    expect((await send("seven77")).body.parameters).toMatchObject({ body: { note: "seven77" } });
  });

  it("is in nothing that is stored of a workflow's node but in what the node gave", async () => {
    provider.script([{ json: {} }]);
    const canvas = {
      nodes: [
        {
          id: "ask",
          nodeId: "http_request",
          credentials: { http_auth: reference },
          parameters: {
            method: "POST",
            url: `${provider.url}/x`,
            headers: { "X-Api-Key": secret },
            body: { note: weir, other: "plain" },
          },
        },
      ],
      edges: [],
    };
    const { body: made } = await mcp.owner.browser.post(`${path}/workflows`, { name: "Typed", canvas });
    const { body: started } = await mcp.owner.browser.post(`${path}/workflows/${made.id}/runs`, {});
    await expect
      .poll(async () => (await mcp.owner.browser.get(`${path}/runs/${started.id}`)).body.status)
      .toBe("succeeded");
    expect(provider.requests().at(-1)?.headers["x-api-key"]).toBe(secret);
    const { body } = await mcp.owner.browser.get(`${path}/runs/${started.id}`);
    expect(body.nodes[0].input).toMatchObject([
      { headers: { "X-Api-Key": "[secret]" }, body: { note: "[secret]", other: "plain" } },
    ]);
    const rows = await mcp.app.database.query("SELECT input, filled, error_message FROM run_node");
    for (const text of [secret, weir]) expect(JSON.stringify(rows)).not.toContain(text);
  });

  const runOf = async (ask: object, list: string, settings: object) => {
    const nodes = [
      { id: "list", nodeId: "loop", parameters: { list } },
      { id: "ask", nodeId: "http_request", credentials: { http_auth: reference }, parameters: ask, settings },
    ];
    const canvas = { nodes, edges: [{ id: "e", source: "list", target: "ask" }] };
    const { body: made } = await mcp.owner.browser.post(`${path}/workflows`, { name: "Typed for each", canvas });
    const { body: started } = await mcp.owner.browser.post(`${path}/workflows/${made.id}/runs`, {});
    const read = async () => (await mcp.owner.browser.get(`${path}/runs/${started.id}`)).body;
    await expect.poll(async () => (await read()).status, { timeout: 15_000 }).toMatch(/succeeded|failed/);
    const rows = await mcp.app.database.query(
      "SELECT node.*, run.error_message AS told FROM run_node node JOIN run ON run.id = node.run_id WHERE node.run_id = $1 AND node_id = 'ask'",
      [started.id],
    );
    expect(rows).toHaveLength(1);
    return { run: await read(), row: rows[0] as Record<string, unknown> };
  };
  const heron = "heron-on-the-sluice-4711";

  it("is in nothing that is stored of items that failed while the run went on, nor in what follows is told", async () => {
    await store(mcp.owner.browser, mcp.owner.organizationId, heron);
    provider.script([1, 2, 3].map(() => ({ status: 400, json: { message: `there is no ${heron}` } })));
    const url = `${provider.url}/${heron}/{{ $input.value }}`;
    const { run, row } = await runOf({ url }, "[1, 2, 3]", { continueOnError: true });
    expect(provider.requests().map((one) => one.path)).toEqual([1, 2, 3].map((value) => `/${heron}/${value}`));
    expect(run).toMatchObject({ status: "succeeded", nodes: [{}, { status: "failed" }] });
    for (const column of [row.items, row.outputs]) expect(column).toContain("there is no [secret]");
    expect(JSON.stringify(row)).not.toContain(heron);
  });

  it("is in no failure of an item whose input is not noted any more", async () => {
    await store(mcp.owner.browser, mcp.owner.organizationId, heron);
    const answers = Array.from({ length: 24 }, () => ({ json: {} }));
    provider.script([...answers, { status: 400, json: { message: `there is no ${heron}` } }]);
    const { run, row } = await runOf({ url: `${provider.url}/{{ $input.value }}` }, `$append([1..24], "${heron}")`, {});
    expect(run).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("there is no [secret]") },
    });
    expect(JSON.stringify(row)).not.toContain(heron);
  });
});
