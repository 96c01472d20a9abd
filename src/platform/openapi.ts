import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { type Access, registerPublic } from "../door/access.ts";
import { problem } from "../door/problem.ts";
import { type Document, tidyDocument } from "./tidy-document.ts";

const problemResponse = {
  description: "The request was refused, or something failed.",
  content: { "application/problem+json": { schema: problem } },
};

// The bar names another product and offers to load documents from elsewhere.
const pageStyle = ".swagger-ui .topbar { display: none; } .swagger-ui .info { margin: 32px 0; }";

/** Must be registered before the routes it describes. The document is made from the same schemas that check the requests. */
export async function registerOpenApi(
  server: FastifyInstance,
  { baseUrl, version }: { baseUrl: string; version: string },
): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Switchyard platform API",
        version,
        description: "Errors are RFC 9457 problem documents with a stable `code`.",
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          session: { type: "apiKey", in: "cookie", name: "switchyard_session" },
          apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
        },
      },
    },
    transform: (input) => {
      const response = { ...(input.schema?.response as object | undefined), default: problemResponse };
      const { schema, url } = jsonSchemaTransform({ ...input, schema: { ...input.schema, response } });
      const access = input.route.config?.access;
      const hide = input.schema?.summary === undefined;
      return { url, schema: { ...schema, hide, security: securityOf(access) } };
    },
    transformObject: (input) => tidyDocument(jsonSchemaTransformObject(input) as Document),
  });

  await registerPublic(server, async (scope) => {
    await scope.register(swaggerUi, {
      routePrefix: "/docs",
      uiConfig: { docExpansion: "list", displayRequestDuration: true },
      theme: { title: "Switchyard API", css: [{ filename: "switchyard.css", content: pageStyle }] },
      // The page's own program writes style attributes; only its own pages may.
      transformStaticCSP: (policy) => policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
    });
  });
  server.get("/openapi.json", { config: { access: "public" }, schema: { hide: true } }, () => server.swagger());
}

function securityOf(access: Access | undefined): Record<string, string[]>[] {
  if (access === undefined || access === "public" || access === "operations") return [];
  return [typeof access === "object" && "scope" in access ? { apiKey: [] } : { session: [] }];
}
