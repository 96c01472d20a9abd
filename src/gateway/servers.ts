import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import { type McpServer, type McpTool, withCut } from "./mcp-server.ts";

/** GET /servers: what there is to connect to, for everybody. Written once, because it only changes with a new release. */
export function registerServerRoutes(
  server: FastifyInstance,
  servers: McpServer<unknown>[],
  urlTemplate: string,
): void {
  const entries = servers.map((one) => describeServer(one, urlTemplate.replaceAll("{serverId}", one.id)));
  const toolCount = entries.reduce((sum, entry) => sum + entry.toolCount, 0);
  const all = toDocument({ data: entries, meta: { serverCount: entries.length, toolCount } });
  const single = new Map(entries.map((entry) => [entry.id, toDocument(entry)]));
  const config = { access: "public" } as const;

  server.get("/servers", { config }, (request, reply) => sendDocument(request, reply, all));
  server.get(
    "/servers/:serverId",
    { config, schema: { params: z.object({ serverId: z.string() }) } },
    (request, reply) => {
      const document = single.get((request.params as { serverId: string }).serverId);
      if (!document) throw new Refusal("not_found", "There is no such server.");
      return sendDocument(request, reply, document);
    },
  );
}

function describeServer(
  { id, title, description, version, instructions, icon, scopes, acceptsApiKeys, tools }: McpServer<unknown>,
  url: string,
) {
  return {
    id,
    name: title,
    description,
    version,
    instructions,
    icon: `data:image/svg+xml;base64,${Buffer.from(icon).toString("base64")}`,
    url,
    authMethods: acceptsApiKeys ? ["apiKey", "oauth"] : ["oauth"],
    scopes,
    toolCount: tools.length,
    tools: tools.map(describeTool),
  };
}

const describeTool = ({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  credentials,
  scope,
}: McpTool<unknown>) => ({
  name,
  title,
  description,
  inputSchema,
  outputSchema: outputSchema && withCut(outputSchema),
  annotations,
  credentials,
  scopes: [scope],
});

type Document = { text: string; tag: string };

function toDocument(value: unknown): Document {
  const text = JSON.stringify(value);
  return { text, tag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"` };
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, { text, tag }: Document): FastifyReply {
  reply.headers({ ETag: tag, "Cache-Control": "public, max-age=300" });
  const known = request.headers["if-none-match"]?.split(",").map((entry) => entry.trim().replace(/^W\//, "")) ?? [];
  if (known.includes(tag) || known.includes("*")) return reply.code(304).send();
  return reply.type("application/json; charset=utf-8").send(text);
}
