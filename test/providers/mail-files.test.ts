import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../src/contract/read.ts";
import { createRunRetention } from "../../src/runs/retention.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpOwner } from "../support/people.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { edges, node, type RunAnswer, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";
import { silentLog } from "../support/storage/test-postgres.ts";

let ann: WorkflowApp;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let provider: FakeProvider;
let smtp: SMTPServer;
const received: Buffer[] = [];

beforeAll(async () => {
  provider = await startFakeProvider();
  smtp = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(null, { user: "ann" }),
    async onData(stream, _session, done) {
      received.push(Buffer.concat(await stream.toArray()));
      done();
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  ann = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  bob = await signUpOwner(ann.app, "Bob");
  const token = { accessToken: "ya29.canary", baseUrl: provider.url };
  const { port: smtpPort } = smtp.server.address() as AddressInfo;
  const mailbox = {
    user: "ann@example.test",
    password: "canary-pass",
    smtpHost: "127.0.0.1",
    smtpPort,
    smtpSecurity: "none",
  };
  for (const { organizationId } of [ann.owner, bob]) {
    await connect(organizationId, "gmail", token);
    await connect(organizationId, "microsoft_outlook", token);
    await connect(organizationId, "email", mailbox);
  }
});
afterAll(async () => {
  await ann?.stop();
  await provider?.stop();
  await new Promise<void>((resolve) => smtp.close(() => resolve()));
});

async function connect(organizationId: string, type: string, data: Record<string, unknown>): Promise<void> {
  const { credentials, defaults } = ann.app.parts.vault;
  const { id } = await credentials.create(organizationId, { type, name: type, data, createdBy: null });
  await defaults.set({ organizationId, apiKeyId: null, type }, id);
}

const report = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0x00, 0xfe, 0x01, 0x02]);
const notes = Buffer.from("first,second\n1,2\n");

const part = (filename: string, mimeType: string, bytes: Buffer) => ({
  filename,
  mimeType,
  body: { size: bytes.length, data: bytes.toString("base64url") },
});

const found: Answer[] = [
  { json: { messages: [{ id: "m1" }] } },
  {
    json: {
      id: "m1",
      payload: { parts: [part("r.pdf", "application/pdf", report), part("n.csv", "text/csv", notes)] },
    },
  },
];

const attachment = (name: string, contentType: string, bytes: Buffer) => ({
  "@odata.type": "#microsoft.graph.fileAttachment",
  id: name,
  name,
  contentType,
  size: bytes.length,
});

const foundByOutlook: Answer[] = [
  { json: { value: [{ id: "m1", hasAttachments: true }] } },
  { json: { value: [attachment("r.pdf", "application/pdf", report), attachment("n.csv", "text/csv", notes)] } },
  { json: { contentBytes: report.toString("base64") } },
  { json: { contentBytes: notes.toString("base64") } },
];

const read = (type = "gmail_search_emails") => node("read", type, { includeAttachments: true, limit: 1 });
const attachments =
  "{{ $input.attachments.{ 'filename': filename, 'mimeType': mimeType, 'contentBase64': contentBase64 } }}";
const sendByGmail = (more: object = {}) =>
  node("send", "gmail_send_email", { to: ["bob@example.test"], subject: "On", text: "Here.", attachments, ...more });

type SentFile = [string | undefined, Buffer];

/** The files of a mail that was sent, with their names. */
const filesOf = (source: Buffer): SentFile[] =>
  [
    ...source
      .toString("latin1")
      .matchAll(/^Content-Disposition: attachment; filename=(\S+)\r\n\r\n([A-Za-z0-9+/=\r\n]+)\r\n--/gm),
  ].map(([, name, base64 = ""]) => [name, Buffer.from(base64, "base64")]);

const lastBody = () => JSON.parse(provider.requests().at(-1)?.body.toString() ?? "null");

const senders: [string, object, Answer[], () => SentFile[]][] = [
  [
    "gmail_send_email",
    { to: ["bob@example.test"], subject: "On" },
    [{ json: { id: "m2", threadId: "t2", labelIds: [] } }],
    () => filesOf(Buffer.from(lastBody().raw as string, "base64url")),
  ],
  [
    "microsoft_outlook_send_email",
    { to: ["bob@example.test"], subject: "On", body: "Here." },
    [{ status: 202 }],
    () =>
      (lastBody().message.attachments as { name: string; contentBytes: string }[]).map(({ name, contentBytes }) => [
        name,
        Buffer.from(contentBytes, "base64"),
      ]),
  ],
  [
    "email_send",
    { to: ["bob@example.test"], subject: "On", text: "Here." },
    [],
    () => filesOf(received.at(-1) ?? Buffer.alloc(0)),
  ],
];

async function readMail(): Promise<RunAnswer> {
  provider.script(found);
  const run = await ann.run(await ann.save([read()]));
  expect(run.error).toBeNull();
  return run;
}

function expectNoBytes(value: unknown): void {
  for (const bytes of [report, notes])
    for (const form of ["base64", "base64url"] as const)
      expect(JSON.stringify(value)).not.toContain(bytes.toString(form).replace(/=+$/, ""));
}

describe("a file that a node reads with a mail", () => {
  it.each(senders)("is a handle in the run, which %s sends on", async (type, parameters, answers, sentFiles) => {
    provider.script([...found, ...answers]);
    const nodes = [read(), node("send", type, { ...parameters, attachments })];
    const run = await ann.run(await ann.save(nodes, edges("read>send")));
    expect(run.error).toBeNull();
    expect(run.nodes[0]?.outputs).toMatchObject([
      {
        attachments: [
          { filename: "r.pdf", mimeType: "application/pdf", size: report.length, contentBase64: `file:${run.id}/1` },
          { filename: "n.csv", mimeType: "text/csv", size: notes.length, contentBase64: `file:${run.id}/2` },
        ],
      },
    ]);
    expectNoBytes(run);
    expectNoBytes(
      await ann.app.database.query("SELECT to_jsonb(run_node) AS row FROM run_node WHERE run_id = $1", [run.id]),
    );
    expect(sentFiles()).toEqual([
      ["r.pdf", report],
      ["n.csv", notes],
    ]);
  });

  it("is one by Outlook too, and a rerun from the node behind sends it again", async () => {
    const nodes = [read("microsoft_outlook_search_emails"), sendByGmail()];
    const sent: Answer = { json: { id: "m2", threadId: "t2", labelIds: [] } };
    provider.script([...foundByOutlook, sent]);
    const run = await ann.run(await ann.save(nodes, edges("read>send")));
    expect(run.error).toBeNull();
    expectNoBytes(run);
    provider.script([sent]);
    const again = await ann.owner.browser.post(`${ann.path}/runs/${run.id}/rerun`, { from: "node", nodeId: "send" });
    expect((await ann.ended(again.body.id)).error).toBeNull();
    expect(filesOf(Buffer.from(lastBody().raw as string, "base64url"))).toEqual([
      ["r.pdf", report],
      ["n.csv", notes],
    ]);
  });

  it("has a number of its own, also where several nodes read at the same time", async () => {
    const answer = {
      json: { messages: [{ id: "m1" }], id: "m1", payload: { parts: [part("r.pdf", "application/pdf", report)] } },
    };
    provider.script(Array<Answer>(6).fill(answer));
    const several = ["one", "two", "three"].map((id) =>
      node(id, "gmail_search_emails", { includeAttachments: true, limit: 1 }),
    );
    const run = await ann.run(await ann.save(several));
    expect(run.error).toBeNull();
    const handles = run.nodes.map(({ outputs }) => textAt(outputs, 0, "attachments", 0, "contentBase64"));
    expect(handles.toSorted()).toEqual([1, 2, 3].map((number) => `file:${run.id}/${number}`));
  });

  it("is read by the organization alone, and refused where another one names it", async () => {
    const run = await readMail();
    const address = `${ann.path}/runs/${run.id}/files/1`;
    const cookie = [...ann.owner.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(ann.app.platformUrl + address, { headers: { cookie } });
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(report);
    expectProblem(await bob.browser.get(`/api/organizations/${bob.organizationId}/runs/${run.id}/files/1`), {
      status: 404,
    });

    provider.script([]);
    const stolen = sendByGmail({ attachments: [{ filename: "r.pdf", contentBase64: `file:${run.id}/1` }] });
    const path = `/api/organizations/${bob.organizationId}`;
    const saved = await bob.browser.post(`${path}/workflows`, {
      name: "Steal",
      canvas: { nodes: [stolen], edges: [] },
    });
    const { body } = await bob.browser.post(`${path}/workflows/${saved.body.id}/runs`, {});
    const look = async () => (await bob.browser.get(`${path}/runs/${body.id}`)).body;
    await expect.poll(async () => (await look()).status, { timeout: 10_000 }).toBe("failed");
    expect((await look()).error).toMatchObject({
      code: "validation_failed",
      message: "attachments.0.contentBase64 names a file that is not there, or no longer.",
    });
    expect(provider.requests()).toEqual([]);
  });

  it("is refused where a run that has nothing to do with it names it", async () => {
    const run = await readMail();
    provider.script([]);
    const other = sendByGmail({ attachments: [{ filename: "r.pdf", contentBase64: `file:${run.id}/1` }] });
    expect((await ann.run(await ann.save([other]))).error).toMatchObject({
      code: "validation_failed",
      message:
        "attachments.0.contentBase64 names a file of another run, which only its reruns and the workflows it calls may use.",
    });
    expect(provider.requests()).toEqual([]);
  });

  it("is sent by a workflow that is called with it, and by one that was given it by a workflow it called", async () => {
    const sent: Answer = { json: { id: "m2", threadId: "t2", labelIds: [] } };
    const handed = sendByGmail({ attachments: [{ filename: "r.pdf", contentBase64: "$trigger.payload.handle" }] });
    const payload = { handle: "{{ $input.attachments[0].contentBase64 }}" };
    const calling = [read(), node("call", "call_workflow", { workflowId: await ann.save([handed]), payload })];
    provider.script([...found, sent]);
    expect((await ann.run(await ann.save(calling, edges("read>call")))).error).toBeNull();
    expect(filesOf(Buffer.from(lastBody().raw as string, "base64url"))).toEqual([["r.pdf", report]]);

    const fetching = [node("call", "call_workflow", { workflowId: await ann.save([read()]) }), sendByGmail()];
    provider.script([...found, sent]);
    const run = await ann.run(await ann.save(fetching, edges("call>send")));
    expect(run.error).toBeNull();
    expect(filesOf(Buffer.from(lastBody().raw as string, "base64url"))).toHaveLength(2);
    provider.script([sent]);
    const again = await ann.owner.browser.post(`${ann.path}/runs/${run.id}/rerun`, { from: "node", nodeId: "send" });
    expect((await ann.ended(again.body.id)).error).toBeNull();
  });

  it("fails the node where the run would keep more than 25 MB", async () => {
    const large = part("large.bin", "application/octet-stream", Buffer.alloc(9_500_000, 7));
    const message: Answer[] = [
      { json: { messages: [{ id: "m1" }] } },
      { json: { id: "m1", payload: { parts: [large] } } },
    ];
    provider.script([...message, ...message]);
    const nodes = [read(), node("more", "gmail_search_emails", { includeAttachments: true, limit: 1 })];
    const run = await ann.run(await ann.save(nodes, edges("read>more")));
    expect(run.error).toMatchObject({
      code: "outputs_too_large",
      nodeId: "more",
      message: "A run keeps files of 25 MB at most, as base64.",
    });
    expect(await keptLength(run.id)).toBeLessThan(25_000_000);
  });

  it("goes with its run", async () => {
    const run = await readMail();
    expect(await keptLength(run.id)).toBeGreaterThan(0);
    const {
      ground: { db },
      history,
    } = ann.app.parts;
    await createRunRetention({ db, partitions: history.partitions, log: silentLog, keptDays: 90, keptRuns: 0 }).run();
    expect(await keptLength(run.id)).toBeUndefined();
    expectProblem(await ann.owner.browser.get(`${ann.path}/runs/${run.id}/files/1`), {
      status: 404,
      code: "not_found",
    });
    provider.script([]);
    const late = sendByGmail({ attachments: [{ filename: "r.pdf", contentBase64: `file:${run.id}/1` }] });
    expect((await ann.run(await ann.save([late]))).error).toMatchObject({ code: "validation_failed" });
    expect(provider.requests()).toEqual([]);
  });
});

async function keptLength(runId: string): Promise<number | undefined> {
  const [row] = await ann.app.database.query("SELECT length(trigger_files) AS length FROM run WHERE id = $1", [runId]);
  return row?.length as number | undefined;
}
