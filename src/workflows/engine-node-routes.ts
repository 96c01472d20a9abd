import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { toJsonSchema } from "../catalog/json-schema.ts";
import { engineNodeList } from "../catalog/wire.ts";
import { engineNodes } from "./engine-nodes/engine-nodes.ts";

/** The built-in nodes beside those of the catalogue; they are no tools. Made once, because they never change while the process runs. */
export function registerEngineNodeRoutes(server: FastifyInstance): void {
  const data = [...engineNodes.values()].map(
    ({ id, title, description, synonyms, section, version, input, ways, per }) => ({
      id,
      title,
      description,
      synonyms: [...synonyms],
      section,
      version,
      inputSchema: toJsonSchema(input, "input"),
      ways: ways({}),
      per: per({}),
    }),
  );

  server.withTypeProvider<ZodTypeProvider>().get(
    "/api/engine-nodes",
    {
      config: { access: "session" },
      schema: { tags: ["Catalogue"], summary: "List built-in nodes", response: { 200: engineNodeList } },
    },
    () => ({ data }),
  );
}
