import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpOwner } from "../support/people.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let telegram: FakeProvider;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let workflowId: string;
let sendingId: string;

beforeAll(async () => {
  telegram = await startFakeProvider();
  ann = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  bob = await signUpOwner(ann.app, "Bob");
  const { credentials, defaults } = ann.app.parts.vault;
  const { organizationId } = ann.owner;
  const account = {
    type: "telegram_bot",
    name: "Bot",
    data: { botToken: "123456:canary", baseUrl: telegram.url },
    createdBy: null,
  };
  const { id } = await credentials.create(organizationId, account);
  await defaults.set({ organizationId, apiKeyId: null, type: "telegram_bot" }, id);
  workflowId = await ann.save([node("a", "set_fields", { fields: { payload: "$trigger.payload" } })]);
  sendingId = await ann.save([
    node("send", "telegram_send_photo", { chatId: "7", photoBase64: "$trigger.payload.photo.handle" }),
  ]);
});
beforeEach(() =>
  telegram.script([{ json: { ok: true, result: { message_id: 1, chat: { id: 7 }, photo: [{ file_id: "f" }] } } }]),
);
afterAll(async () => {
  await ann?.stop();
  await telegram?.stop();
});

async function webhook(id = workflowId): Promise<{ webhookUrl: string }> {
  const wanted = { workflowId: id, kind: "webhook", name: "Hook", signature: "none" };
  const { body } = await ann.owner.browser.post(`${ann.path}/triggers`, wanted);
  return body as { webhookUrl: string };
}

type Sent = { headers?: Record<string, string>; body: string | Uint8Array | FormData };

async function deliver(url: string, { headers = {}, body }: Sent) {
  const response = await fetch(url, { method: "POST", headers, body: body as string });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The run that a delivery started, once it has ended. */
async function runOf(url: string, sent: Sent) {
  const answer = await deliver(url, sent);
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
  return await ann.ended((JSON.parse(answer.text) as { id: string }).id);
}

async function seen(url: string, sent: Sent) {
  const run = await runOf(url, sent);
  return { run, payload: (run.result?.[0] as { payload: unknown } | undefined)?.payload };
}

const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00, 0xfe]);

function formWith(bytes: Buffer, name = "ä b.png"): FormData {
  const form = new FormData();
  form.append("title", "Ann");
  form.append("photo", new Blob([new Uint8Array(bytes)], { type: "image/png" }), name);
  return form;
}

describe("a form that is delivered", () => {
  it("in parts is read, with lists and JSON in its fields", async () => {
    const { webhookUrl } = await webhook();
    const form = new FormData();
    form.append("name", "Ann ü");
    form.append("tag", "a");
    form.append("tag", "b");
    form.append("data", '{"id": 12345678901234567890}');
    form.append("__proto__", "x");
    const { payload } = await seen(webhookUrl, { body: form });
    expect(payload).toEqual({ name: "Ann ü", tag: ["a", "b"], data: { id: "12345678901234567890" } });
  });

  it.each([
    ["without a boundary", "multipart/form-data", "--x\r\n\r\n--x--\r\n"],
    ["that ends early", "multipart/form-data; boundary=x", '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1'],
    [
      "with a part without a name",
      "multipart/form-data; boundary=x",
      "--x\r\nContent-Type: text/plain\r\n\r\n1\r\n--x--\r\n",
    ],
    ["with nothing of its boundary", "multipart/form-data; boundary=x", "hello"],
  ])("%s is refused", async (_name, type, body) => {
    const { webhookUrl } = await webhook();
    const problem = expectProblem(await deliver(webhookUrl, { headers: { "content-type": type }, body }), {
      status: 400,
    });
    expect(problem).toMatchObject({
      code: "malformed_request",
      detail: "The multipart form of the delivery cannot be read.",
    });
  });

  it.each(["boundary=x", 'other="; boundary=z"; boundary=x'])(
    "with too many parts is refused: %s",
    async (parameters) => {
      const { webhookUrl } = await webhook();
      const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
      const headers = { "content-type": `multipart/form-data; ${parameters}` };
      const problem = expectProblem(await deliver(webhookUrl, { headers, body: `${part.repeat(1001)}--x--\r\n` }), {
        status: 413,
      });
      expect(problem.detail).toBe("A form may have 1000 parts at most.");
    },
  );
});

describe("a file in a delivery", () => {
  it("is a handle in the data of the run, and its bytes are read by the organization alone", async () => {
    const { webhookUrl } = await webhook();
    const { run, payload } = await seen(webhookUrl, { body: formWith(picture) });
    const handle = `file:${run.id}/1`;
    expect(payload).toEqual({
      title: "Ann",
      photo: { name: "ä b.png", type: "image/png", size: picture.length, handle },
    });
    expect(JSON.stringify(run)).not.toContain(picture.toString("base64"));
    const address = `${ann.path}/runs/${run.id}/files/1`;
    const cookie = [...ann.owner.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const read = await fetch(ann.app.platformUrl + address, { headers: { cookie } });
    expect(read.status).toBe(200);
    expect(Buffer.from(await read.arrayBuffer())).toEqual(picture);
    expect(read.headers.get("content-type")).toBe("application/octet-stream");
    expect(read.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''%C3%A4%20b.png");
    expect(read.headers.get("x-content-type-options")).toBe("nosniff");

    expectProblem(await ann.owner.browser.get(`${ann.path}/runs/${run.id}/files/2`), {
      status: 404,
      code: "not_found",
    });
    expectProblem(await ann.owner.browser.get(`${ann.path}/runs/${randomUUID()}/files/1`), {
      status: 404,
      code: "not_found",
    });
    const foreign = `/api/organizations/${bob.organizationId}/runs/${run.id}/files/1`;
    expectProblem(await bob.browser.get(foreign), { status: 404, code: "not_found" });
    expectProblem(await bob.browser.get(address), { status: 404 });
  });

  it("may be the whole body, where that is no text", async () => {
    const { webhookUrl } = await webhook();
    const { run, payload } = await seen(webhookUrl, {
      headers: { "content-type": "image/png" },
      body: new Uint8Array(picture),
    });
    expect(payload).toEqual({
      file: { name: null, type: "image/png", size: picture.length, handle: `file:${run.id}/1` },
    });
  });

  it("is sent by a node that takes bytes, again by a second run, and the run shows its handle alone", async () => {
    const { webhookUrl } = await webhook(sendingId);
    const run = await runOf(webhookUrl, { body: formWith(picture) });
    expect(run.error).toBeNull();
    expect(telegram.requests()[0]?.body.includes(picture)).toBe(true);
    expect(run.nodes[0]?.input).toEqual([{ chatId: "7", photoBase64: `file:${run.id}/1` }]);
    telegram.script([{ json: { ok: true, result: { message_id: 2, chat: { id: 7 } } } }]);
    const again = await ann.owner.browser.post(`${ann.path}/runs/${run.id}/rerun`, {});
    expect((await ann.ended(again.body.id)).error).toBeNull();
    expect(telegram.requests()[0]?.body.includes(picture)).toBe(true);
  });

  it("named so often that it would fill the memory fails the node", async () => {
    const expression = '[1..40].{ "filename": "x", "contentBase64": $trigger.payload.photo.handle }';
    const parameters = { to: ["b@example.test"], subject: "x", text: "x", attachments: `{{ ${expression} }}` };
    const { webhookUrl } = await webhook(await ann.save([node("send", "email_send", parameters)]));
    const sent = await runOf(webhookUrl, { body: formWith(Buffer.alloc(700_000, 1)) });
    expect(sent.error).toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(/files of 25 MB at most/),
    });
  });

  it("of another organization or of nobody fails the node that names it", async () => {
    const { webhookUrl } = await webhook();
    const { run } = await seen(webhookUrl, { body: formWith(picture) });
    const account = {
      type: "telegram_bot",
      name: "Bot",
      data: { botToken: "123456:b", baseUrl: telegram.url },
      createdBy: null,
    };
    const { reference } = await ann.app.parts.vault.credentials.create(bob.organizationId, account);
    const stolen = { chatId: "7", photoBase64: `file:${run.id}/1` };
    const nodes = [node("send", "telegram_send_photo", stolen, { credentials: { telegram_bot: reference } })];
    const path = `/api/organizations/${bob.organizationId}`;
    const saved = await bob.browser.post(`${path}/workflows`, { name: "Steal", canvas: { nodes, edges: [] } });
    const { body } = await bob.browser.post(`${path}/workflows/${saved.body.id}/runs`, {});
    const read = async () => (await bob.browser.get(`${path}/runs/${body.id}`)).body;
    await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe("failed");
    expect((await read()).error).toMatchObject({
      code: "validation_failed",
      message: "photoBase64 names a file that is not there, or no longer.",
    });
    expect(telegram.requests()).toEqual([]);
  });

  it("is stored once for a delivery that is repeated", async () => {
    const { webhookUrl } = await webhook();
    const headers = { "webhook-id": "msg_1" };
    const [first, second] = [
      await deliver(webhookUrl, { headers, body: formWith(picture) }),
      await deliver(webhookUrl, { headers, body: formWith(picture) }),
    ];
    expect(second?.text).toBe(first?.text);
    const run = await ann.ended((JSON.parse(first?.text ?? "") as { id: string }).id);
    expect(run.result).toMatchObject([{ payload: { photo: { handle: `file:${run.id}/1` } } }]);
  });
});
