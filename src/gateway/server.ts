import cors from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Catalog, CatalogAction } from "../catalog/catalog.ts";
import { createDoor, type DoorOptions } from "../door/create-door.ts";
import { registerOperationsRoutes } from "../door/operations-routes.ts";
import { registerRateLimit } from "../door/rate-limit.ts";
import type { ApiKeys } from "../identity/api-keys.ts";
import type { OAuth } from "../oauth/open-oauth.ts";
import type { Processes } from "../slots/processes.ts";
import { createAuthenticate, type VerifyBearer } from "./authenticate.ts";
import { createCallsInFlight } from "./calls-in-flight.ts";
import type { CallTool } from "./mcp-call.ts";
import { type Mount, mountServer, registerMcpRoutes } from "./mcp-routes.ts";
import { createPlatformServer, type PlatformParts } from "./platform-server.ts";
import type { PlatformTool } from "./platform-tools/define-platform-tool.ts";
import { createProviderServers } from "./provider-servers.ts";
import { registerServerRoutes } from "./servers.ts";

export type GatewayOptions = {
  door: Omit<DoorOptions, "name">;
  catalog: Catalog;
  apiKeys: Pick<ApiKeys, "verify">;
  verifyBearer: VerifyBearer;
  oauth: Pick<OAuth, "registerAtGateway">;
  callAction: CallTool<CatalogAction>;
  callPlatformTool: CallTool<PlatformTool>;
  processes: Processes;
  platform: PlatformParts;
  version: string;
  /** Where clients reach the gateway. */
  resourceUrl: string;
  serverUrlTemplate: string;
  keyLimitPerMinute: number;
  maxResultCharacters: number;
  keepAliveMs?: number;
  /** Servers on the same core that are in no public list. */
  privateServers: Mount[];
};

const exposedHeaders = [
  "WWW-Authenticate",
  "X-Request-Id",
  "Retry-After",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
];

/** Port 3100: the MCP servers and the authorization server. */
export async function createGatewayServer(options: GatewayOptions): Promise<FastifyInstance> {
  const { door, catalog, version, keepAliveMs = 15_000 } = options;
  const server = createDoor({ ...door, name: "gateway" });
  await registerCors(server);
  await registerRateLimit(server, { ...door, name: "gateway" });
  registerOperationsRoutes(server, door);

  const providers = createProviderServers(catalog, version);
  const platform = createPlatformServer(options.platform, version);
  registerServerRoutes(server, [...providers, platform], options.serverUrlTemplate);
  const mounts: Mount[] = [
    ...providers.map((provider) => mountServer(provider, options.callAction)),
    mountServer(platform, options.callPlatformTool),
    ...options.privateServers,
  ];
  const authenticate = createAuthenticate({ apiKeys: options.apiKeys, verifyBearer: options.verifyBearer });
  const { resourceUrl, keyLimitPerMinute: limitPerMinute, maxResultCharacters: limitCharacters } = options;
  const callsInFlight = createCallsInFlight({ processes: options.processes, log: door.log });
  await options.oauth.registerAtGateway(server);
  await registerMcpRoutes(
    server,
    {
      authenticate,
      callsInFlight,
      log: door.log,
      tracing: door.tracing,
      turns: door.turns,
      resourceUrl,
      limitPerMinute,
      limitCharacters,
      keepAliveMs,
    },
    mounts,
  );
  return server;
}

/** Any page may call, because no cookie means anything here; only the metrics are for nobody's page. */
async function registerCors(server: FastifyInstance): Promise<void> {
  server.addHook("onRoute", (route) => {
    const isPreflight = route.method === "OPTIONS" && route.url === "*";
    if (isPreflight) route.config = { ...route.config, access: "public" };
  });
  const forAll = { origin: "*", credentials: false, strictPreflight: false, exposedHeaders };
  await server.register(cors, {
    delegator: (request, done) => done(null, isForMetrics(request) ? { origin: false } : forAll),
  });
}

// The route decides, because an address may be encoded; a preflight has no route of its own.
const isForMetrics = ({ routeOptions, url }: FastifyRequest): boolean =>
  [routeOptions.url, url.split("?", 1)[0]].includes("/metrics");
