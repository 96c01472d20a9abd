import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { node } from "../support/runs/workflow-app.ts";

type Block = { type: string; text?: string; data?: string; mimeType?: string };
type Result = {
  content: Block[];
  structuredContent: { items: Record<string, unknown>[]; cut?: string };
  _meta?: Record<string, unknown>;
};

let mcp: McpApp;
let provider: FakeProvider;
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

beforeAll(async () => {
  provider = await startFakeProvider();
  mcp = await startMcpApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
});
beforeEach(async () => {
  provider.script([]);
  await mcp.app.database.query("DELETE FROM tool_call");
});
afterAll(async () => {
  await mcp.stop();
  await provider.stop();
});

const eras = ["modern", "legacy"] as const;
const accounts: Record<string, Record<string, unknown>> = {
  openai: { apiKey: "sk-secret" },
  elevenlabs: { apiKey: "xi-secret" },
  google_drive: { accessToken: "ya29-secret" },
  gmail: { accessToken: "ya29-secret" },
  github: { kind: "bearer", accessToken: "ghp_secret" },
  http_auth: { authKind: "none" },
};

async function call(name: string, given: object, type: string, era: (typeof eras)[number] = "modern") {
  const data = { ...accounts[type], ...(type === "http_auth" ? {} : { baseUrl: provider.url }) };
  const asked = { type, name: type, data, createdBy: null };
  const { reference } = await mcp.app.parts.vault.credentials.create(mcp.owner.organizationId, asked);
  const serverId = [...mcp.app.parts.catalog.actions.values()].find(({ id }) => id === name)?.provider.id ?? "";
  const params = { name, arguments: { ...given, credentials: { [type]: reference } } };
  const { json, text } = await mcp.client[era](serverId, "tools/call", params);
  const result = json.result as unknown as Result;
  await expectToFit(serverId, name, result);
  return { result, text };
}

/** Against the schema that the server itself lists. */
async function expectToFit(serverId: string, name: string, { structuredContent }: Result): Promise<void> {
  const { json } = await mcp.client.modern(serverId, "tools/list");
  const fits = ajv.compile(json.result?.tools.find((tool) => tool.name === name)?.outputSchema as object);
  expect(fits(structuredContent), JSON.stringify(fits.errors)).toBe(true);
}

async function lastRecord() {
  const path = `/api/organizations/${mcp.owner.organizationId}/tool-calls`;
  const { body } = await mcp.owner.browser.get(path);
  return (await mcp.owner.browser.get(`${path}/${body.data[0].id}`)).body;
}

const png = (bytes: number) =>
  Buffer.concat([Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "base64"), Buffer.alloc(bytes, 7)]);

describe.each(eras)("pictures and sound (%s)", (era) => {
  it("a generated picture is an image block, sent once, with its type, size and a handle in the item", async () => {
    const bytes = png(700_000);
    provider.script([
      { json: { created: 1, output_format: "png", data: [{ b64_json: bytes.toString("base64") }], usage: {} } },
    ]);
    const { result, text } = await call("openai_generate_image", { prompt: "a cat" }, "openai", era);
    const { id } = await lastRecord();
    const handle = `result:${id}#/0/imageBase64`;
    const item = { imageBase64: handle, mimeType: "image/png", bytes: bytes.length };
    expect(result.structuredContent).toEqual({ items: [item] });
    expect(result.content.map(({ type }) => type)).toEqual(["text", "image"]);
    expect(JSON.parse(result.content[0]?.text ?? "")).toEqual(item);
    expect(result.content[1]).toEqual({ type: "image", mimeType: "image/png", data: bytes.toString("base64") });
    expect(text.length).toBeLessThan(bytes.toString("base64").length + 2000);
  });

  it.each([
    [2_000_000, ["text", "image", "text"], ""],
    [5_000_000, ["text", "text"], "A picture of more than 5 MB as base64 is not shown. "],
  ])("says what is not kept or not shown of a picture of %i bytes", async (size, types, notShown) => {
    const data = [{ b64_json: png(size).toString("base64") }];
    provider.script([{ json: { created: 1, output_format: "png", data, usage: {} } }]);
    const { result } = await call("openai_generate_image", { prompt: "a cat" }, "openai", era);
    const { id } = await lastRecord();
    const { items, cut } = result.structuredContent;
    expect(items[0]?.imageBase64).toBe(`result:${id}#/0/imageBase64`);
    expect(result.content.map(({ type }) => type)).toEqual(types);
    expect(cut).toBe(
      `${notShown}The history keeps only its beginning, as record ${id}. What a handle stands for is not kept.`,
    );
    expect(result.content.at(-1)?.text).toBe(cut);
  });

  it("speech is an audio block", async () => {
    const bytes = Buffer.from("ID3\u0004 and sound that is no text \xff\xfe", "latin1");
    provider.script([{ headers: { "content-type": "audio/mpeg" }, body: bytes }]);
    const { result } = await call("elevenlabs_text_to_speech", { voiceId: "v", text: "Hi" }, "elevenlabs", era);
    expect(result.content[1]).toEqual({ type: "audio", mimeType: "audio/mpeg", data: bytes.toString("base64") });
    expect(result.structuredContent.items[0]).toMatchObject({
      mimeType: "audio/mpeg",
      bytes: bytes.length,
      audioBase64: /^result:/,
    });
  });

  it("a picture attached to a mail is an image block, and its place in the list has the handle", async () => {
    const file = {
      mimeType: "image/png",
      filename: "cat.png",
      body: { size: 90, data: png(60).toString("base64url") },
    };
    const note = { mimeType: "text/plain", filename: "a.txt", body: { size: 2, data: "aGk" } };
    provider.script([{ json: { messages: [{ id: "m1" }] } }, { json: { id: "m1", payload: { parts: [note, file] } } }]);
    const { result } = await call("gmail_search_emails", { includeAttachments: true, limit: 1 }, "gmail", era);
    expect(result.content[1]).toEqual({ type: "image", mimeType: "image/png", data: png(60).toString("base64") });
    expect(result.structuredContent.items[0]?.attachments).toEqual([
      { filename: "a.txt", mimeType: "text/plain", size: 2, contentBase64: "aGk=" },
      {
        filename: "cat.png",
        mimeType: "image/png",
        size: 90,
        contentBase64: `result:${(await lastRecord()).id}#/0/attachments/1/contentBase64`,
      },
    ]);
  });

  it("a picture in Drive is an image block by what it is, not by what it is called", async () => {
    const bytes = png(100);
    provider.script([
      { json: { id: "1", name: "a.bin", mimeType: "application/octet-stream", size: "160" } },
      { body: bytes },
    ]);
    const { result } = await call("google_drive_download_file", { fileId: "1" }, "google_drive", era);
    expect(result.content[1]).toMatchObject({ type: "image", mimeType: "image/png" });
  });

  it("judges what the history keeps by the whole answer, the picture included", async () => {
    provider.script([
      { json: { id: "1", name: "n".repeat(40_000), mimeType: "image/png", size: "2000000" } },
      { body: png(2_000_000) },
    ]);
    const { result } = await call("google_drive_download_file", { fileId: "1" }, "google_drive", era);
    expect((await lastRecord()).truncated).toBe(true);
    expect(result.structuredContent.cut).toMatch(/^Cut short: 1 of 1 items, .* The history keeps only its beginning/);
  });

  it("other bytes come as base64 while they are few, and as a handle when they are many", async () => {
    for (const [size, expected] of [
      [300, /^[A-Za-z0-9+/]+=*$/],
      [300_000, /^result:[0-9a-f-]{36}#\/0\/contentBase64$/],
      [2_000_000, /^result:[0-9a-f-]{36}#\/0\/contentBase64$/],
    ] as const) {
      const bytes = Buffer.alloc(size, 0xfe);
      provider.script([
        { json: { id: "1", name: "a.zip", mimeType: "application/zip", size: String(size) } },
        { body: bytes },
      ]);
      const { result } = await call("google_drive_download_file", { fileId: "1" }, "google_drive", era);
      expect(result.structuredContent.items[0]).toMatchObject({ bytes: size, mimeType: "application/zip" });
      expect(result.structuredContent.items[0]?.contentBase64).toMatch(expected);
      expect(result.content.filter(({ type }) => type !== "text")).toEqual([]);
      const { id, truncated } = await lastRecord();
      const cut = `The history keeps only its beginning, as record ${id}. What a handle stands for is not kept.`;
      expect(result.structuredContent.cut).toBe(truncated ? cut : undefined);
      expect(truncated).toBe(size === 2_000_000);
    }
  });

  it("a text that claims to be a picture is no image block", async () => {
    const json = {
      path: "a.png",
      type: "file",
      size: 3,
      encoding: "base64",
      content: Buffer.from([0xff, 0xfe, 0x00]).toString("base64"),
    };
    provider.script([{ json }]);
    const { result } = await call("github_get_file", { owner: "a", repo: "b", path: "a.png" }, "github", era);
    expect(result.content.map(({ type }) => type)).toEqual(["text"]);
    expect(result.structuredContent.items[0]).toMatchObject({ encoding: "base64", content: "//4A" });
  });
});

describe.each(eras)("long answers (%s)", (era) => {
  const feed = (count: number, summary: string) => ({
    version: "https://jsonfeed.org/version/1.1",
    items: Array.from({ length: count }, (_, index) => ({
      id: String(index),
      title: `Entry ${index}`,
      content_text: summary,
    })),
  });
  const read = async (count: number, summary: string) => {
    provider.script([{ json: feed(count, summary) }]);
    return await call("http_read_feed", { url: `${provider.url}/feed`, limit: 100 }, "http_auth", era);
  };

  it("are as they were while they have no more than 25,000 characters", async () => {
    const { result } = await read(3, "s".repeat(5000));
    expect(result.structuredContent).toEqual({
      items: expect.arrayContaining([expect.objectContaining({ summary: "s".repeat(5000) })]),
    });
    expect(result.content.map(({ text }) => JSON.parse(text ?? ""))).toEqual(result.structuredContent.items);
  });

  it("show every item with less of each where that tells something, and say what is missing and where it is", async () => {
    const { result, text } = await read(20, 'ü"\\ 🎉 '.repeat(1000));
    const { items, cut } = result.structuredContent;
    const { id, outputs } = await lastRecord();
    const characters = outputs.reduce((sum: number, item: object) => sum + JSON.stringify(item).length, 0);
    expect(items).toHaveLength(20);
    expect(items.map(({ title }) => title)).toEqual(outputs.map(({ title }: { title: string }) => title));
    for (const { summary } of items) expect(String(summary)).toMatch(/…$/);
    expect(outputs[0].summary).toBe('ü"\\ 🎉 '.repeat(1000));
    expect(cut).toContain(`of ${characters} characters`);
    expect(cut).toContain("20 of 20 items");
    expect(cut).toContain(`record ${id}`);
    expect(result.content.at(-1)?.text).toBe(cut);
    const shown = result.content.slice(0, -1).map((block) => block.text ?? "");
    expect(shown.map((one) => JSON.parse(one))).toEqual(items);
    expect(shown.join("").length).toBeLessThanOrEqual(25_000);
    expect(text.length).toBeLessThan(80_000);
  });

  it("show the first of many small items", async () => {
    const rows = Array.from({ length: 3000 }, (_, index) => ({ number: index, name: `row ${index}` }));
    provider.script([{ json: rows }]);
    const { result } = await call("http_request", { url: `${provider.url}/rows` }, "http_auth", era);
    const body = result.structuredContent.items[0]?.body as unknown[];
    expect(body.length).toBeGreaterThan(300);
    expect(body).toEqual(rows.slice(0, body.length));
    expect(result.structuredContent.cut).toMatch(/^Cut short: 1 of 1 items, \d+ of \d+ characters/);
  });

  it("say so when the history keeps only their beginning", async () => {
    provider.script([{ json: { long: "x".repeat(2_000_000) } }]);
    const { result } = await call("http_request", { url: `${provider.url}/long` }, "http_auth", era);
    const { id, truncated } = await lastRecord();
    expect(truncated).toBe(true);
    expect(result.structuredContent.cut).toContain(`The history keeps only its beginning, as record ${id}.`);
  });
});

describe("http_request and github_get_file", () => {
  it("mark bytes as such", async () => {
    provider.script([{ headers: { "content-type": "application/pdf" }, body: Buffer.from([0x25, 0xff, 0xfe, 0]) }]);
    const { result } = await call("http_request", { url: `${provider.url}/x` }, "http_auth");
    expect(result.structuredContent.items[0]).toMatchObject({ body: "Jf/+AA==", bodyEncoding: "base64", bytes: 4 });
  });

  it("leave text unmarked", async () => {
    provider.script([{ headers: { "content-type": "text/plain" }, body: "hi" }]);
    const { result } = await call("http_request", { url: `${provider.url}/x` }, "http_auth");
    expect(result.structuredContent.items[0]).not.toHaveProperty("bodyEncoding");
  });

  it("say why a file over 1 MB has no content", async () => {
    provider.script([
      { json: { path: "big.csv", type: "file", sha: "a", size: 1_500_000, encoding: "none", content: "" } },
    ]);
    const { result } = await call("github_get_file", { owner: "a", repo: "b", path: "big.csv" }, "github");
    expect(result.structuredContent.items[0]).toMatchObject({ size: 1_500_000, note: expect.stringContaining("1 MB") });
    expect(result.structuredContent.items[0]).not.toHaveProperty("content");
  });
});

describe("the limit", () => {
  it("is the operator's to set, and holds for the tools of the account too", async () => {
    const small = await startMcpApp({ environment: { MCP_MAX_RESULT_CHARACTERS: "1000" } });
    try {
      for (let index = 0; index < 12; index++)
        await small.client.modern("system", "tools/call", { name: "system_wait", arguments: { seconds: 0 } });
      const platform = small.connect("platform", ["platform:read"]);
      const { json } = await platform.modern("platform", "tools/call", {
        name: "platform_list_tool_invocations",
        arguments: {},
      });
      const { content, structuredContent } = json.result as unknown as {
        content: Block[];
        structuredContent: Record<string, unknown>;
      };
      expect(structuredContent.cut).toMatch(/^Cut short: \d+ of \d+ characters/);
      expect(content[0]?.text?.length).toBeLessThanOrEqual(1100);
      const listed = await platform.modern("platform", "tools/list");
      const fits = ajv.compile(
        listed.json.result?.tools.find(({ name }) => name === "platform_list_tool_invocations")?.outputSchema as object,
      );
      expect(fits(structuredContent), JSON.stringify(fits.errors)).toBe(true);
    } finally {
      await small.stop();
    }
  });

  it("names a page whose cursor begins behind entries that were left out", async () => {
    const small = await startMcpApp({ environment: { MCP_MAX_RESULT_CHARACTERS: "1000" } });
    try {
      const path = `/api/organizations/${small.owner.organizationId}`;
      const canvas = { nodes: [node("a", "set_fields", { fields: { a: 1 } })], edges: [] };
      const { body } = await small.owner.browser.post(`${path}/workflows`, { name: "Sorted", canvas });
      const asked = { workflowId: body.id, kind: "webhook", name: "Sorted", signature: "none" };
      for (let index = 0; index < 12; index++)
        expect((await small.owner.browser.post(`${path}/triggers`, asked)).status).toBe(201);
      const list = async (limit: number) => {
        const platform = small.connect("platform", ["platform:read"]);
        const { json } = await platform.modern("platform", "tools/call", {
          name: "platform_list_triggers",
          arguments: { limit },
        });
        return (json.result as unknown as { structuredContent: { cut?: string; nextCursor: string | null } })
          .structuredContent;
      };
      const says = "`nextCursor` begins behind the entries left out: ask again with a smaller `limit` to see them.";
      expect(await list(10)).toMatchObject({ nextCursor: expect.any(String), cut: expect.stringContaining(says) });
      expect(await list(12)).toMatchObject({ nextCursor: null, cut: expect.not.stringContaining("nextCursor") });
      expect(await list(1)).not.toHaveProperty("cut");
    } finally {
      await small.stop();
    }
  });
});
