import type { FastifyInstance } from "fastify";
import { Refusal } from "../base/refusal.ts";
import type { Resources } from "./resources.ts";
import { oauthScopes } from "./wire.ts";

type Options = { issuerUrl: string; resourceUrl: string; resources: Resources };

const config = { access: "public" } as const;
const cacheControl = "public, max-age=300";

/** How a client that knows only the address of an MCP server finds everything else: RFC 9728, then RFC 8414. */
export function registerDiscoveryRoutes(server: FastifyInstance, options: Options): void {
  registerProtectedResources(server, options);
  const document = describeIssuer(options.issuerUrl);
  for (const path of metadataPaths(options.issuerUrl))
    server.get(path, { config }, (_request, reply) => reply.header("Cache-Control", cacheControl).send(document));
}

/** There is none without a server in its path: clients that look there first would ask for a token for everything. */
function registerProtectedResources(server: FastifyInstance, { issuerUrl, resourceUrl, resources }: Options): void {
  const documents = new Map(
    resources.servers.map(({ id, title, scopes }) => [
      id,
      {
        resource: resources.urlOf(id),
        authorization_servers: [issuerUrl],
        scopes_supported: scopes,
        bearer_methods_supported: ["header"],
        resource_name: title,
      },
    ]),
  );
  for (const prefix of new Set(["", pathOf(resourceUrl)]))
    server.get(`/.well-known/oauth-protected-resource${prefix}/:serverId/mcp`, { config }, (request, reply) => {
      const document = documents.get((request.params as { serverId: string }).serverId);
      if (!document) throw new Refusal("not_found", "There is no such server.");
      return reply.header("Cache-Control", cacheControl).send(document);
    });
}

/** With a path in the issuer, clients put it behind the well-known part or before it. */
function metadataPaths(issuerUrl: string): Set<string> {
  const path = pathOf(issuerUrl);
  const names = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
  return new Set(names.flatMap((name) => [name, `${name}${path}`, `${path}${name}`]));
}

export const pathOf = (url: string): string => new URL(url).pathname.replace(/\/$/, "");

/** Our own words and not the library's, which also knows what is switched off here. */
const describeIssuer = (issuerUrl: string) => ({
  issuer: issuerUrl,
  authorization_endpoint: `${issuerUrl}/oauth/authorize`,
  token_endpoint: `${issuerUrl}/oauth/token`,
  registration_endpoint: `${issuerUrl}/oauth/register`,
  revocation_endpoint: `${issuerUrl}/oauth/revoke`,
  jwks_uri: `${issuerUrl}/oauth/jwks`,
  scopes_supported: oauthScopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: authenticationMethods,
  revocation_endpoint_auth_methods_supported: authenticationMethods,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["Ed25519"],
});

const authenticationMethods = ["none", "client_secret_basic", "client_secret_post"];
