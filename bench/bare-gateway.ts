import type { AddressInfo } from "node:net";
import { createLog } from "../src/base/log.ts";
import { createTracing } from "../src/base/tracing.ts";
import { createCatalog } from "../src/catalog/catalog.ts";
import { loadProviders } from "../src/catalog/load-providers.ts";
import { createMetrics } from "../src/door/metrics.ts";
import { createTurns } from "../src/door/turns.ts";
import { createGatewayServer } from "../src/gateway/server.ts";
import { callTool } from "../test/support/gateway/call-tool.ts";

// Our gateway without a database: every key is taken, tools run directly. It shows what the protocol alone costs.
const key = {
  organizationId: "bench",
  apiKeyId: "bench",
  apiKeyName: "bench",
  toolRules: null,
  defaultCredentials: null,
};
const notHere = () => Promise.reject(new Error("The bench has no platform data."));

const server = await createGatewayServer({
  door: {
    baseUrl: "http://localhost",
    trustedProxies: [],
    log: createLog("warn"),
    metrics: createMetrics(),
    tracing: createTracing(),
    turns: createTurns(),
    metricsToken: undefined,
    isDatabaseReachable: async () => true,
    isStopping: () => false,
  },
  catalog: createCatalog(await loadProviders()),
  apiKeys: { verify: async () => key },
  verifyBearer: notHere,
  oauth: { registerAtGateway: async () => {} },
  callAction: async ({ tool, arguments: input }) => ({
    items: await callTool(tool.target, { input }),
    recordId: "none",
  }),
  callPlatformTool: notHere,
  processes: { tell: async () => false, hear: () => {} },
  privateServers: [],
  platform: {
    organizations: { member: notHere, listOf: notHere },
    credentials: { search: notHere },
    calls: { page: notHere },
    workflows: { page: notHere, get: notHere },
    triggers: { page: notHere, setActive: notHere },
    runs: { page: notHere, get: notHere },
  },
  version: "1.0.0",
  maxResultCharacters: 25_000,
  resourceUrl: "http://localhost",
  serverUrlTemplate: "http://localhost/{serverId}/mcp",
  keyLimitPerMinute: 1_000_000_000,
});
await server.listen({ host: "localhost", port: 0 });
console.log(`http://localhost:${(server.server.address() as AddressInfo).port}`);
