import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takesFile } from "../../src/contract/file-input.ts";
import { type Answer, type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let flows: WorkflowApp;
let provider: FakeProvider;

beforeAll(async () => {
  provider = await startFakeProvider();
  flows = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  const key = {
    accessKeyId: "AKIATEST",
    secretAccessKey: "canary-secret",
    endpoint: provider.url,
    forcePathStyle: true,
  };
  await connect("s3", { ...key, region: "us-east-1" });
  await connect("google_drive", { accessToken: "ya29.canary", baseUrl: provider.url });
  await connect("github", { kind: "bearer", accessToken: "canary-token", baseUrl: provider.url });
  await connect("openai", { apiKey: "sk-canary", baseUrl: provider.url });
  await connect("elevenlabs", { apiKey: "canary-key", baseUrl: provider.url });
  await connect("telegram_bot", { botToken: "77:canary", baseUrl: provider.url });
});
afterAll(async () => {
  await flows?.stop();
  await provider?.stop();
});

async function connect(type: string, data: Record<string, unknown>): Promise<void> {
  const { credentials, defaults } = flows.app.parts.vault;
  const { organizationId } = flows.owner;
  const { id } = await credentials.create(organizationId, { type, name: type, data, createdBy: null });
  await defaults.set({ organizationId, apiKeyId: null, type }, id);
}

const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00, 0xfe, 0x01, 0x02]);
const base64 = bytes.toString("base64");

type Reading = {
  type: string;
  parameters: () => object;
  answers: Answer[];
  field: string;
  file: { name: string | null; type: string };
};

// What the vendors answer, as their references show it.
const readings: Reading[] = [
  {
    type: "s3_get_object",
    parameters: () => ({ bucket: "pictures", key: "2026/cat.png" }),
    answers: [{ headers: { "content-type": "image/png", etag: '"9b2c"' }, body: bytes }],
    field: "contentBase64",
    file: { name: "cat.png", type: "image/png" },
  },
  {
    type: "google_drive_download_file",
    parameters: () => ({ fileId: "1aBcDeFgHiJkLmNoPqRsTuVwXyZ" }),
    answers: [
      { json: { id: "1aBcDeFgHiJkLmNoPqRsTuVwXyZ", name: "cat.png", mimeType: "image/png", size: "9" } },
      { body: bytes },
    ],
    field: "contentBase64",
    file: { name: "cat.png", type: "image/png" },
  },
  {
    type: "github_get_file",
    parameters: () => ({ owner: "acme", repo: "shop", path: "docs/cat.png" }),
    answers: [
      {
        json: {
          type: "file",
          encoding: "base64",
          size: 9,
          name: "cat.png",
          path: "docs/cat.png",
          content: base64,
          sha: "3d21",
        },
      },
    ],
    field: "content",
    file: { name: "cat.png", type: "application/octet-stream" },
  },
  {
    type: "http_request",
    parameters: () => ({ url: `${provider.url}/pictures/cat.png` }),
    answers: [{ headers: { "content-type": "image/png" }, body: bytes }],
    field: "body",
    file: { name: null, type: "image/png" },
  },
  {
    type: "openai_generate_image",
    parameters: () => ({ prompt: "A cat" }),
    answers: [{ json: { created: 1_713_833_628, output_format: "png", data: [{ b64_json: base64 }] } }],
    field: "imageBase64",
    file: { name: null, type: "image/png" },
  },
  {
    type: "elevenlabs_text_to_speech",
    parameters: () => ({ voiceId: "21m00Tcm4TlvDq8ikWAM", text: "Meow" }),
    answers: [{ headers: { "content-type": "audio/mpeg" }, body: bytes }],
    field: "audioBase64",
    file: { name: null, type: "audio/mpeg" },
  },
];

type Taking = { type: string; parameters: (handle: string) => object; answer: Answer };

const takings: Taking[] = [
  {
    type: "s3_put_object",
    parameters: (contentBase64) => ({ bucket: "copies", key: "cat.png", contentBase64 }),
    answer: { headers: { etag: '"9b2c"' } },
  },
  {
    type: "google_drive_upload_file",
    parameters: (contentBase64) => ({ name: "cat.png", mimeType: "image/png", contentBase64 }),
    answer: { json: { id: "2b", name: "cat.png", mimeType: "image/png" } },
  },
  {
    type: "telegram_send_photo",
    parameters: (photoBase64) => ({ chatId: "-100", photoBase64 }),
    answer: { json: { ok: true, result: { message_id: 5, chat: { id: -100 }, photo: [{ file_id: "AgAC" }] } } },
  },
];

describe("bytes that a node reads", () => {
  it.each(readings)("of $type are a handle in the run, and nowhere in what is stored of it", async (reading) => {
    provider.script(reading.answers);
    const run = await flows.run(await flows.save([node("read", reading.type, reading.parameters())]));
    expect(run.error).toBeNull();
    expect(run.nodes[0]?.outputs).toMatchObject([{ [reading.field]: `file:${run.id}/1` }]);
    const rows = await flows.app.database.query("SELECT to_jsonb(run_node) AS row FROM run_node WHERE run_id = $1", [
      run.id,
    ]);
    for (const seen of [run, rows]) expect(JSON.stringify(seen)).not.toContain(base64.replace(/=+$/, ""));
    const cookie = [...flows.owner.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(`${flows.app.platformUrl}${flows.path}/runs/${run.id}/files/1`, { headers: { cookie } });
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
    const [{ files } = {}] = await flows.app.database.query<{ files: string }>(
      "SELECT trigger_files AS files FROM run WHERE id = $1",
      [run.id],
    );
    expect(JSON.parse(files ?? "[]")).toMatchObject([reading.file]);
  });

  it.each(takings)("are what $type gets in the place of the handle", async ({ type, parameters, answer }) => {
    const [reading] = readings as [Reading];
    provider.script([...reading.answers, answer]);
    const nodes = [
      node("read", reading.type, reading.parameters()),
      node("take", type, parameters("{{ $input.contentBase64 }}")),
    ];
    const run = await flows.run(await flows.save(nodes, edges("read>take")));
    expect(run.error).toBeNull();
    expect(provider.requests().at(-1)?.body.includes(bytes)).toBe(true);
    expect(JSON.stringify(run)).not.toContain(base64.replace(/=+$/, ""));
  });

  it("stay text where they are text", async () => {
    provider.script([{ headers: { "content-type": "text/csv" }, body: "a,b\n1,2\n" }]);
    const run = await flows.run(await flows.save([node("read", "s3_get_object", { bucket: "b", key: "a.csv" })]));
    expect(run.nodes[0]?.outputs).toMatchObject([{ content: "a,b\n1,2\n" }]);
    expect(await flows.app.database.query("SELECT trigger_files AS files FROM run WHERE id = $1", [run.id])).toEqual([
      { files: null },
    ]);
  });
});

it("is declared by each action that gives or takes bytes", () => {
  const fieldsIn = (schema: unknown): [string, string][] =>
    [...JSON.stringify(schema).matchAll(/"(\w+)":(\{[^{}]*"type":"string"[^{}]*\})/g)].map(
      ([, name = "", text = ""]) => [name, text],
    );
  const faults = [...flows.app.parts.catalog.actions.values()].flatMap((action) => {
    const gives = fieldsIn(action.outputSchema).some(([name]) => name.endsWith("Base64"));
    const undeclared = fieldsIn(action.inputSchema).filter(
      ([name, text]) => (name.endsWith("Base64") || /as base64/i.test(text)) && !takesFile(JSON.parse(text)),
    );
    return [
      ...(gives && !action.findBytes ? [`${action.id} gives bytes and does not say where`] : []),
      ...undeclared.map(([name]) => `${action.id} takes bytes in ${name} and does not say so`),
    ];
  });
  expect(faults).toEqual([]);
});
