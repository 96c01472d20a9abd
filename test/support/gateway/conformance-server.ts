import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Refusal } from "../../../src/base/refusal.ts";
import { toAnnotations } from "../../../src/catalog/mcp-tool.ts";
import type { McpToolCall, ToolResult } from "../../../src/gateway/mcp-call.ts";
import { mountServer } from "../../../src/gateway/mcp-routes.ts";
import { createMcpServer } from "../../../src/gateway/mcp-server.ts";

type Run = (call: McpToolCall<Run>) => Promise<ToolResult>;

const text = (value: string) => ({ type: "text", text: value });
const image = {
  type: "image",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  mimeType: "image/png",
};
const audio = {
  type: "audio",
  data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=",
  mimeType: "audio/wav",
};
const resource = {
  type: "resource",
  resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "An embedded resource." },
};

const fixtures: Record<string, Run> = {
  test_simple_text: async () => ({ content: [text("This is a simple text response for testing.")] }),
  test_image_content: async () => ({ content: [image] }),
  test_audio_content: async () => ({ content: [audio] }),
  test_embedded_resource: async () => ({ content: [resource] }),
  test_multiple_content_types: async () => ({ content: [text("Multiple content types test:"), image, resource] }),
  test_error_handling: async () => {
    throw new Refusal("provider_error", "This tool intentionally returns an error for testing");
  },
  test_tool_with_progress: async ({ onProgress }) => {
    for (const progress of [0, 50, 100]) {
      onProgress?.({ progress, total: 100, message: `Completed step ${progress} of 100` });
      await delay(50);
    }
    return { content: [text("done")] };
  },
  json_schema_2020_12_tool: async () => ({ content: [text("done")] }),
};

const richSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** The tools that the official conformance suite asks for, on the product's own protocol core. */
export const conformanceServer = mountServer(
  createMcpServer<Run>({
    id: "conformance",
    title: "Conformance",
    description: "Fixtures of the official suite.",
    instructions: "Only for tests.",
    version: "1.0.0",
    icon: "",
    scopes: ["mcp:invoke"],
    acceptsApiKeys: true,
    acceptsTokens: true,
    tools: Object.entries(fixtures).map(([name, target]) => ({
      name,
      title: name,
      description: `The fixture ${name}.`,
      inputSchema:
        name === "json_schema_2020_12_tool"
          ? richSchema
          : { type: "object", properties: {}, additionalProperties: false },
      annotations: toAnnotations(name, { readOnly: true, destructive: false, idempotent: true, openWorld: false }),
      credentials: [],
      scope: "mcp:invoke",
      target,
    })),
  }),
  (call) => call.tool.target(call),
);

/** The suite cannot send headers of its own, so this adds them on the way; everything else passes as it is. */
export async function startHeaderProxy(gatewayUrl: string, headers: Record<string, string>) {
  const { hostname, port } = new URL(gatewayUrl);
  const server = createServer((incoming, outgoing) => {
    const target = {
      hostname,
      port,
      path: incoming.url,
      method: incoming.method,
      headers: { ...incoming.headers, ...headers },
    };
    const passed = send(target, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => outgoing.writableFinished || passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
