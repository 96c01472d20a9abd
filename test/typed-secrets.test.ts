import { afterAll, beforeAll, expect, it } from "vitest";
import { expectProblem } from "./support/expect-problem.ts";
import { type FakeProvider, startFakeProvider } from "./support/fake-provider.ts";
import { type McpApp, startMcpApp } from "./support/mcp-app.ts";

const secret = "canary-typed-by-hand-4711";
let provider: FakeProvider;
let mcp: McpApp;
let path: string;
let reference: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  mcp = await startMcpApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  path = `/api/organizations/${mcp.owner.organizationId}`;
  const made = await mcp.owner.browser.post(`${path}/credentials`, { type: "http_auth", name: "Open", data: { authKind: "none" } });
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
  const replay = (changes: object) => mcp.owner.browser.post(`${path}/tool-calls/${body.id}/replay`, { confirm: true, ...changes });
  const { detail } = expectProblem(await replay({}), { status: 409, code: "conflict" });
  expect(detail).toBe("The parameters of this call held a secret, which is not kept. Send them to run it again.");
  provider.script([{ json: {} }]);
  expect((await replay({ parameters })).body).toMatchObject({ status: "success", parameters: { headers: { "X-Api-Key": "[secret]" } } });
  expect(await stored()).not.toContain(secret);
});
