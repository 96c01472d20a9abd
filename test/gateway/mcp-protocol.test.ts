import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type McpApp, startMcpApp } from "../support/gateway/mcp-app.ts";
import { modernHeaders, modernMeta, type RpcAnswer } from "../support/gateway/mcp-client.ts";

let mcp: McpApp;
beforeAll(async () => {
  mcp = await startMcpApp({ environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "100000" } });
});
afterAll(() => mcp.stop());

const legacyRevisions = ["2025-11-25", "2025-06-18", "2025-03-26"];
const message = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params ? { params } : {}),
});
const expectError = (answer: RpcAnswer, status: number, code: number, id: unknown = 1) => {
  expect([answer.status, answer.json.error?.code, answer.json.id], answer.text).toEqual([status, code, id]);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  // The same two facts as in a problem document, whatever the number.
  expect(answer.json.error?.data, answer.text).toMatchObject({
    code: expect.stringMatching(/^[a-z_]+$/),
    requestId: answer.headers.get("x-request-id"),
  });
  expect(answer.json.error?.message).toMatch(/[.!?…]$/);
  return answer.json.error;
};
const call = (client: "legacy" | "modern", name: unknown, given: unknown = {}) =>
  mcp.client[client]("system", "tools/call", { name, arguments: given });

describe("the legacy era", () => {
  it.each(legacyRevisions)("agrees on revision %s", async (revision) => {
    const { status, json, headers } = await mcp.client.legacy(
      "system",
      "initialize",
      { protocolVersion: revision, capabilities: {}, clientInfo: { name: "test", version: "1" } },
      { "mcp-protocol-version": undefined },
    );
    expect(status).toBe(200);
    expect(json.result).toEqual({
      protocolVersion: revision,
      capabilities: { tools: { listChanged: false } },
      serverInfo: { name: "system", title: "System", version: expect.any(String) },
      instructions: expect.any(String),
    });
    expect(headers.get("mcp-session-id")).toBeNull();
  });

  it.each(["2024-11-05", "2026-07-28", "1.0"])("offers 2025-11-25 to whoever asks for %s", async (protocolVersion) => {
    const { json } = await mcp.client.legacy(
      "system",
      "initialize",
      { protocolVersion },
      { "mcp-protocol-version": undefined },
    );
    expect(json.result?.protocolVersion).toBe("2025-11-25");
  });

  it("refuses an initialize without a revision", async () => {
    expectError(await mcp.client.legacy("system", "initialize", {}), 200, -32602);
  });

  it.each([undefined, ...legacyRevisions])("answers with the version header %s", async (version) => {
    const { json, status } = await mcp.client.legacy("system", "ping", {}, { "mcp-protocol-version": version });
    expect([status, json.result]).toEqual([200, {}]);
  });

  it.each(["2024-11-05", "2025-12-31", "banana", "2025-11-25, 2025-06-18"])(
    "refuses the version header %s and names its own",
    async (version) => {
      const error = expectError(
        await mcp.client.legacy("system", "ping", {}, { "mcp-protocol-version": version }),
        400,
        -32000,
      );
      expect(error?.data).toMatchObject({ supported: ["2026-07-28", ...legacyRevisions], requested: version });
    },
  );

  it("lists tools plainly", async () => {
    const { json } = await mcp.client.legacy("system", "tools/list");
    expect(Object.keys(json.result ?? {})).toEqual(["tools"]);
    expect(json.result?.tools.map(({ name }: { name: string }) => name)).toEqual([
      "system_date_time",
      "system_transform_json",
      "system_wait",
    ]);
  });

  it("knows neither modern methods nor others, with status 200", async () => {
    for (const method of [
      "server/discover",
      "subscriptions/listen",
      "resources/list",
      "prompts/list",
      "logging/setLevel",
      "constructor",
      "",
    ])
      expectError(await mcp.client.legacy("system", method), 200, -32601);
  });

  it("returns plain results", async () => {
    const { json } = await call("legacy", "system_wait", { seconds: 0 });
    expect(json.result).toEqual({
      content: [{ type: "text", text: '{"waitedSeconds":0}' }],
      structuredContent: { items: [{ waitedSeconds: 0 }] },
    });
  });

  it("takes batches of 2025-03-26 and answers each request", async () => {
    const batch = [
      message("ping", undefined, 1),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      message("tools/call", { name: "system_wait", arguments: { seconds: 0 } }, "two"),
      message("nothing", undefined, 3),
      message("initialize", { protocolVersion: "2025-03-26" }, 4),
      { jsonrpc: "2.0", id: 9, result: {} },
      "no message",
      [],
    ];
    for (const version of [undefined, "2025-03-26"]) {
      const { status, json } = await mcp.client.post("system", batch, { "mcp-protocol-version": version });
      expect(status).toBe(200);
      expect(
        (json as unknown as { id: unknown; error?: { code: number } }[]).map(({ id, error }) => [id, error?.code]),
      ).toEqual([
        [1, undefined],
        ["two", undefined],
        [3, -32601],
        [4, -32600],
        [null, -32600],
        [null, -32600],
      ]);
    }
  });

  it("answers a batch of notifications with nothing", async () => {
    const { status, text } = await mcp.client.post("system", [{ jsonrpc: "2.0", method: "notifications/initialized" }]);
    expect([status, text]).toEqual([202, ""]);
  });

  it.each([
    ["of a later revision", [message("ping")], { "mcp-protocol-version": "2025-06-18" }],
    ["of the modern era", [message("ping")], { "mcp-protocol-version": "2026-07-28" }],
    ["with a modern message", [message("tools/list", { _meta: modernMeta })], {}],
    ["without messages", [], {}],
    ["of more than 20 messages", Array.from({ length: 21 }, () => message("ping")), {}],
  ])("refuses a batch %s", async (_, batch, headers) => {
    expectError(await mcp.client.post("system", batch, headers), 400, -32600, null);
  });
});

describe("the modern era", () => {
  const tail = {
    resultType: "complete",
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "system", title: "System", version: expect.any(String) } },
  };

  it("describes itself", async () => {
    const { status, json } = await mcp.client.modern("system", "server/discover");
    expect(status).toBe(200);
    expect(json.result).toEqual({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: false } },
      instructions: expect.any(String),
      ttlMs: 300_000,
      cacheScope: "public",
      ...tail,
    });
  });

  it("lists tools with what a cache needs to know, the same every time and for everybody", async () => {
    const { json, text } = await mcp.client.modern("system", "tools/list");
    expect(json.result).toEqual({ tools: expect.any(Array), ttlMs: 300_000, cacheScope: "public", ...tail });
    const other = mcp.connect("system", ["mcp:invoke"]);
    expect((await other.modern("system", "tools/list")).text).toBe(text);
    const legacy = await mcp.client.legacy("system", "tools/list");
    expect(legacy.json.result?.tools).toEqual(json.result?.tools);
  });

  it("marks results as complete", async () => {
    const { json } = await call("modern", "system_wait", { seconds: 0 });
    expect(json.result).toEqual({
      content: [{ type: "text", text: '{"waitedSeconds":0}' }],
      structuredContent: { items: [{ waitedSeconds: 0 }] },
      ...tail,
    });
  });

  it.each(["initialize", "ping", "resources/list", "prompts/list", "nothing", "toString"])(
    "answers %s with 404",
    async (method) => {
      expectError(await mcp.client.modern("system", method), 404, -32601);
    },
  );

  it("acknowledges a subscription as one to nothing and ends it", async () => {
    const answer = await mcp.client.modern("system", "subscriptions/listen", {
      notifications: { toolsListChanged: true },
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    const events = (answer.text.match(/^data: .*$/gm) ?? []).map((line) => JSON.parse(line.slice(6)));
    const subscription = { "io.modelcontextprotocol/subscriptionId": 1 };
    expect(events).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: {}, _meta: subscription },
      },
      { jsonrpc: "2.0", id: 1, result: { ...tail, _meta: { ...tail._meta, ...subscription } } },
    ]);
    expectError(await mcp.client.modern("system", "subscriptions/listen"), 200, -32602);
  });

  it.each([
    [
      "no _meta",
      { _meta: undefined },
      ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"],
    ],
    [
      "no revision",
      { _meta: { ...modernMeta, "io.modelcontextprotocol/protocolVersion": undefined } },
      ["io.modelcontextprotocol/protocolVersion"],
    ],
    [
      "a revision that is no text",
      { _meta: { ...modernMeta, "io.modelcontextprotocol/protocolVersion": 1 } },
      ["io.modelcontextprotocol/protocolVersion"],
    ],
    [
      "no capabilities",
      { _meta: { ...modernMeta, "io.modelcontextprotocol/clientCapabilities": undefined } },
      ["io.modelcontextprotocol/clientCapabilities"],
    ],
  ])("refuses a request with %s and names what is missing", async (_, params, missing) => {
    const error = expectError(
      await mcp.client.post("system", message("tools/list", params), modernHeaders("tools/list")),
      400,
      -32602,
    );
    expect(error?.data).toMatchObject({ missing });
  });

  it.each([
    ["another version", { "mcp-protocol-version": "2025-11-25" }],
    ["no version", { "mcp-protocol-version": undefined }],
    ["another method", { "mcp-method": "tools/list" }],
    ["no method", { "mcp-method": undefined }],
    ["another name", { "mcp-name": "system_date_time" }],
    ["no name", { "mcp-name": undefined }],
    ["a name in bad Base64", { "mcp-name": "=?base64?%%%?=" }],
    ["a name in Base64 that is no text", { "mcp-name": `=?base64?${Buffer.from([0xff, 0xfe]).toString("base64")}?=` }],
  ])("refuses headers with %s than the body", async (_, headers) => {
    const params = { name: "system_wait", arguments: { seconds: 0 } };
    expectError(await mcp.client.modern("system", "tools/call", params, headers), 400, -32020);
  });

  it("reads a name in Base64", async () => {
    const name = `=?base64?${Buffer.from("system_wait").toString("base64")}?=`;
    const { json } = await mcp.client.modern(
      "system",
      "tools/call",
      { name: "system_wait", arguments: { seconds: 0 } },
      { "mcp-name": name },
    );
    expect(json.result?.structuredContent).toEqual({ items: [{ waitedSeconds: 0 }] });
  });

  it.each(["2027-01-01", "2026-07-29", "2025-11-25", "banana"])(
    "refuses revision %s and names its own",
    async (requested) => {
      const params = { _meta: { ...modernMeta, "io.modelcontextprotocol/protocolVersion": requested } };
      const headers = { ...modernHeaders("tools/list"), "mcp-protocol-version": requested };
      const error = expectError(await mcp.client.post("system", message("tools/list", params), headers), 400, -32022);
      expect(error?.data).toMatchObject({ supported: ["2026-07-28"], requested });
    },
  );

  it("refuses a notification whose headers say something else", async () => {
    const notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: { _meta: modernMeta } };
    expectError(await mcp.client.post("system", notification, { "mcp-method": "tools/list" }), 400, -32020, null);
    expectError(
      await mcp.client.post("system", notification, { "mcp-protocol-version": "2025-11-25" }),
      400,
      -32020,
      null,
    );
  });
});

describe.each(["legacy", "modern"] as const)("in the %s era", (era) => {
  it("takes notifications and responses without an answer", async () => {
    const headers = era === "modern" ? { "mcp-protocol-version": "2026-07-28" } : {};
    for (const body of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
      { jsonrpc: "2.0", method: "notifications/nobody/knows" },
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } },
    ]) {
      const { status, text } = await mcp.client.post("system", body, headers);
      expect([status, text], JSON.stringify(body)).toEqual([202, ""]);
    }
  });

  it("answers an unknown tool, a missing name and arguments that are no object with -32602", async () => {
    for (const [name, given] of [
      ["nothing", {}],
      [undefined, {}],
      [1, {}],
      ["system_wait", []],
      ["system_wait", "x"],
      ["system_wait", null],
      ["github_get_file", {}],
    ])
      expectError(await call(era, name, given), 200, -32602);
  });

  it("names an unknown tool and the nearest ones that the caller may see", async () => {
    const error = expectError(await call(era, "System_date-tme"), 200, -32602);
    expect(error?.message).toMatch(/^Invalid params: unknown tool "System_date-tme"; did you mean system_date_time/);
    expect(error?.data).toMatchObject({ code: "not_found" });
    const far = expectError(await call(era, "x".repeat(500)), 200, -32602);
    expect(far?.message).toBe(`Invalid params: unknown tool "${"x".repeat(100)}…".`);
    const none = { allows: (name: string) => name !== "system_date_time", defaults: new Map<string, string>() };
    const limited = mcp.connect("system", ["mcp:invoke"], { view: none });
    const { json } = await limited[era]("system", "tools/call", { name: "system_date_tme", arguments: {} });
    expect(json.error?.message).not.toContain("system_date_time");
  });

  it.each(["1e400", "9007199254740993"])(
    "refuses the argument %s, which would become another number, and names it",
    async (number) => {
      const params = `{"name":"system_wait","arguments":{"seconds":${number}},"_meta":${JSON.stringify(era === "modern" ? modernMeta : {})}}`;
      const headers =
        era === "modern" ? modernHeaders("tools/call", "system_wait") : { "mcp-protocol-version": "2025-11-25" };
      const { json, status } = await mcp.client.post(
        "system",
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
        headers,
      );
      expect([status, json.result?.isError]).toEqual([200, true]);
      expect(json.result?.content[0]?.text).toMatch(/^seconds is a (whole )?number too large to be kept/);
      expect(json.result?._meta["switchyard/error"]).toMatchObject({
        code: "validation_failed",
        errors: [{ pointer: "/seconds" }],
      });
      const { data } = await mcp.app.parts.history.calls.list(mcp.owner.organizationId, { limit: 1 });
      const recorded = await mcp.app.parts.history.calls.get(mcp.owner.organizationId, data[0]?.id as string);
      expect(recorded).toMatchObject({ status: "refused", parameters: { seconds: number } });
    },
  );

  it("answers bad arguments as a result that names every field", async () => {
    const { status, json } = await call(era, "system_date_time", { timeZone: 1, format: "", extra: true });
    expect(status).toBe(200);
    expect(json.result).toMatchObject({
      isError: true,
      _meta: { "switchyard/error": { code: "validation_failed", requestId: expect.any(String) } },
    });
    expect(json.result).not.toHaveProperty("structuredContent");
    const text = json.result?.content[0]?.text;
    for (const field of ["/timeZone", "/format", "extra"]) expect(text).toContain(field);
  });

  it("answers a text with NUL or half a surrogate pair as a wrong argument", async () => {
    for (const timeZone of ["a\0b", "a\ud800b"]) {
      const { status, json } = await call(era, "system_date_time", { timeZone });
      expect([status, json.result?.isError]).toEqual([200, true]);
      expect(json.result?._meta["switchyard/error"].errors).toEqual([
        { pointer: "/timeZone", detail: expect.any(String) },
      ]);
    }
    expectError(await mcp.client[era]("system", "tools/list", { cursor: "a\0b" }), 200, -32602);
  });

  it("refuses a cursor, because there is one page", async () => {
    expectError(await mcp.client[era]("system", "tools/list", { cursor: "next" }), 200, -32602);
  });

  it("repeats ids as they came", async () => {
    const method = "tools/list";
    const headers = era === "modern" ? modernHeaders(method) : {};
    const params = era === "modern" ? { _meta: modernMeta } : undefined;
    for (const id of [0, -1, 2 ** 53 - 1, "", "1", 'ü\n"'])
      expect((await mcp.client.post("system", message(method, params, id), headers)).json.id).toBe(id);
  });

  it("neither gives out nor minds a session", async () => {
    const { headers, status } = await mcp.client[era](
      "system",
      "tools/list",
      {},
      { "mcp-session-id": "mine", "last-event-id": "7" },
    );
    expect([status, headers.get("mcp-session-id")]).toEqual([200, null]);
  });
});

describe("requests that are no messages", () => {
  it.each([
    ["an id that is null", { jsonrpc: "2.0", id: null, method: "ping" }, null],
    ["an id that is a fraction", { jsonrpc: "2.0", id: 1.5, method: "ping" }, null],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ping" }, null],
    ["no version", { id: 1, method: "ping" }, 1],
    ["another version", { jsonrpc: "1.0", id: 1, method: "ping" }, 1],
    ["no method", { jsonrpc: "2.0", id: 1 }, 1],
    ["a method that is no text", { jsonrpc: "2.0", id: 1, method: 1 }, 1],
    ["parameters in a list", { jsonrpc: "2.0", id: 1, method: "ping", params: [] }, 1],
    ["parameters that are null", { jsonrpc: "2.0", id: 1, method: "ping", params: null }, 1],
    ["null", null, null],
    ["a text", '"ping"', null],
    ["a number", "1", null],
  ])("refuses %s", async (_, body, id) => {
    expectError(await mcp.client.post("system", body), 400, -32600, id);
  });

  it.each([
    ["broken JSON", '{"jsonrpc":'],
    ["an empty body", ""],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    [
      "JSON deeper than 64 levels",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(64)}${"]".repeat(64)}}}`,
    ],
    ["a key that poisons objects", '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}'],
  ])("refuses %s", async (_, body) => {
    expectError(await mcp.client.post("system", body), 400, -32700, null);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"])(
    "refuses the content type %s",
    async (type) => {
      expectError(await mcp.client.post("system", message("ping"), { "content-type": type }), 415, -32000, null);
    },
  );

  it("refuses a body of more than 10 MiB", async () => {
    const { data } =
      expectError(
        await mcp.client.post("system", message("ping", { pad: "x".repeat(10 * 1024 * 1024) })),
        413,
        -32000,
        null,
      ) ?? {};
    expect(data).toEqual({ code: "body_too_large", requestId: expect.any(String) });
  });

  it.each(["text/html", "text/event-stream", "application/json;q=0"])("refuses to answer %s", async (accept) => {
    expectError(await mcp.client.post("system", message("ping"), { accept }), 406, -32000, null);
  });

  it.each([
    "*/*",
    "application/*",
    "application/json",
    "text/html, application/json;q=0.5",
    "application/json; charset=utf-8",
  ])("answers whoever accepts %s", async (accept) => {
    expect((await mcp.client.post("system", message("ping"), { accept })).status).toBe(200);
  });

  it.each(["GET", "DELETE", "PUT", "PATCH", "HEAD"])("answers %s with 405 and what is possible", async (method) => {
    const response = await fetch(`${mcp.app.gatewayUrl}/system/mcp`, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it.each([
    "/nothing/mcp",
    "/System/mcp",
    "/conformance/mcp",
    "/system/mcp/",
    "/mcp",
    "/system",
    "/%00/mcp",
    "/__proto__/mcp",
  ])("has nothing at %s", async (path) => {
    for (const method of ["POST", "GET"]) {
      const { status } = await fetch(`${mcp.app.gatewayUrl}${path}`, { method, headers: { "x-api-key": mcp.key } });
      expect(status).toBe(path === "/%00/mcp" ? 400 : 404);
    }
  });
});
