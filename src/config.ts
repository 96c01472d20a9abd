import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { findAddressMistakes, findTemplateMistakes, resourceTemplateOf } from "./base/address-mistakes.ts";
import { type DefaultModels, defaultModels } from "./base/default-models.ts";
import { isLoopbackName } from "./base/name-host.ts";
import { defaultDataDir } from "./base/own-files.ts";
import { configurationError, createReader, type Read } from "./base/read-settings.ts";
import {
  autoOr,
  cidrs,
  duration,
  flag,
  integer,
  key,
  keys,
  oneOf,
  pairs,
  postgresUrl,
  share,
  smtpUrl,
  template,
  text,
  url,
} from "./base/setting-values.ts";

export { isLoopbackName, resourceTemplateOf };

export type Config = ReturnType<typeof readConfig>;

export const allRoles = ["platform", "gateway", "worker"] as const;
export type ProcessRole = (typeof allRoles)[number];

type Environment = Record<string, string | undefined>;

/** Reads the environment once and reports every mistake in it, so that an operator fixes them in one go. */
export function readConfig(environment: Environment) {
  const { read, mistakes } = createReader(environment);
  const platform = readDoor(read, "PLATFORM_API", 3000);
  const gateway = readDoor(read, "MCP_API", 3100);
  const operationsPort = read("OPERATIONS_PORT", undefined, integer(1, 65_535));
  const oauth = readOAuth(read, { platform, gateway });
  const config = {
    platform,
    gateway,
    operations:
      operationsPort === undefined
        ? undefined
        : { port: operationsPort, baseUrl: `http://localhost:${operationsPort}` },
    processes: read("PROCESSES", "auto", autoOr(integer(1, 64))),
    listenHost: read("LISTEN_HOST", "localhost", text),
    trustedProxies: read("TRUSTED_PROXIES", "", cidrs),
    oauth,
    serverUrlTemplate: read("MCP_SERVER_URL_TEMPLATE", resourceTemplateOf(oauth.resourceUrl), template("{serverId}")),
    ...readExecutionLimits(read),
    dataDir: read("SWITCHYARD_DATA_DIR", defaultDataDir(environment), (value) => resolve(text(value))),
    ...readStorage(read),
    ...readTenancy(read),
    outboundAllowedCidrs: read("OUTBOUND_ALLOWED_CIDRS", "", cidrs),
    ...readKeys(read),
    oauthClients: readOAuthClients(environment, mistakes),
    ai: readAi(read, mistakes),
    models: readModels(read),
    smtpUrl: read("SMTP_URL", undefined, smtpUrl),
    mailFrom: read("MAIL_FROM", "Switchyard <switchyard@localhost>", text),
    ...readWatching(read),
    ...readSignInLimits(read),
    ownEventsPerMinute: read("TRIGGER_OWN_EVENTS_PER_MINUTE", "20", integer(1, 1_000_000)),
    keyLimitPerMinute: read("RATE_LIMIT_API_KEY_PER_MINUTE", "600", integer(1, 10_000_000)),
  };
  if (config.platform.port === config.gateway.port && config.platform.port !== 0)
    mistakes.push("MCP_API_PORT: must differ from PLATFORM_API_PORT");
  if ([config.platform.port, config.gateway.port].includes(operationsPort ?? -1))
    mistakes.push("OPERATIONS_PORT: must differ from PLATFORM_API_PORT and MCP_API_PORT");
  // One that is there and wrong has been named already.
  if (config.databasePoolerUrl !== undefined && !environment.DATABASE_URL?.trim())
    mistakes.push(
      "DATABASE_URL: is missing, although DATABASE_POOLER_URL is set; sessions must reach PostgreSQL itself",
    );
  const namesResource = Boolean(environment.MCP_OAUTH_RESOURCE_URL?.trim());
  if (mistakes.length === 0)
    mistakes.push(...findAddressMistakes(config), ...findTemplateMistakes(config, namesResource));
  if (mistakes.length > 0) throw configurationError(mistakes);
  return config;
}

type Doors = Record<"platform" | "gateway", { baseUrl: string }>;

const readOAuth = (read: Read, { platform, gateway }: Doors) => ({
  issuerUrl: read("MCP_OAUTH_ISSUER_URL", gateway.baseUrl, url),
  resourceUrl: read("MCP_OAUTH_RESOURCE_URL", gateway.baseUrl, url),
  consentUrlTemplate: read("MCP_OAUTH_CONSENT_URL_TEMPLATE", `${platform.baseUrl}/consent/{uid}`, template("{uid}")),
  allowHttp: read("MCP_OAUTH_ALLOW_HTTP", "false", flag),
  accessTokenLifetimeMs: read("MCP_OAUTH_ACCESS_TOKEN_TTL", "30m", duration),
  tokenLimitPerMinute: read("RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE", "60", integer(1, 10_000_000)),
  registrationLimitPerHour: read("RATE_LIMIT_OAUTH_REGISTRATION_PER_HOUR", "20", integer(1, 10_000_000)),
});

const readStorage = (read: Read) => ({
  databaseUrl: read("DATABASE_URL", undefined, postgresUrl),
  databasePoolerUrl: read("DATABASE_POOLER_URL", undefined, postgresUrl),
  databasePoolSize: read("DATABASE_POOL_SIZE", "10", integer(2, 1000)),
  historyRetentionDays: read("HISTORY_RETENTION_DAYS", "90", integer(1, 36_500)),
  historyMaxRows: read("HISTORY_MAX_ROWS", "1000000", integer(1, 1_000_000_000)),
});

const readKeys = (read: Read) => ({
  masterKey: read("SWITCHYARD_MASTER_KEY", undefined, key),
  previousMasterKeys: read("SWITCHYARD_MASTER_KEY_PREVIOUS", "", keys),
  cookieKey: read("SWITCHYARD_COOKIE_KEY", undefined, key),
  previousCookieKeys: read("SWITCHYARD_COOKIE_KEY_PREVIOUS", "", keys),
});

/** What an operator sees of the process. */
const readWatching = (read: Read) => ({
  slowStatementMs: read("SLOW_STATEMENT_WARNING", "500ms", duration),
  blockedLoopMs: read("EVENT_LOOP_WARNING", "200ms", duration),
  traces: readTraces(read),
  sendsTraceParent: read("OUTBOUND_TRACEPARENT", "false", flag),
  logLevel: read("LOG_LEVEL", "info", oneOf("debug", "info", "warn", "error", "silent")),
  metricsToken: read("METRICS_TOKEN", undefined, text),
});

function readSignInLimits(read: Read) {
  const signInLimitPerMinute = read("RATE_LIMIT_SIGN_IN_PER_MINUTE", "10", integer(1, 1_000_000));
  // One account must not be allowed more than the address it signs in from.
  const least = String(Math.max(60, signInLimitPerMinute));
  const signInAddressLimitPerMinute = read("RATE_LIMIT_SIGN_IN_ADDRESS_PER_MINUTE", least, integer(1, 1_000_000));
  return { signInLimitPerMinute, signInAddressLimitPerMinute };
}

/** The process environment over an optional `.env` file in the working folder. */
export function readEnvironment(folder = "."): Environment {
  const file = join(folder, ".env");
  return { ...(existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {}), ...process.env };
}

/** `OAUTH_CLIENT_GITHUB_ID` and `_SECRET`: a client that every organization may connect with, by credential type. */
function readOAuthClients(
  environment: Environment,
  mistakes: string[],
): Record<string, { id: string; secret: string }> {
  const clients: Record<string, { id: string; secret: string }> = {};
  for (const name of Object.keys(environment).sort()) {
    const [, type, part] = /^OAUTH_CLIENT_([A-Z0-9_]+)_(ID|SECRET)$/.exec(name) ?? [];
    if (type === undefined || !environment[name]?.trim()) continue;
    const other = `OAUTH_CLIENT_${type}_${part === "ID" ? "SECRET" : "ID"}`;
    const [id, secret] = ["ID", "SECRET"].map((ending) => environment[`OAUTH_CLIENT_${type}_${ending}`]?.trim());
    if (id && secret) clients[type] = { id, secret };
    else mistakes.push(`${other}: is missing, although ${name} is set`);
  }
  return clients;
}

/** The language model of the installation; undefined when there is none. */
function readAi(read: Read, mistakes: string[]) {
  const provider = read("AI_PROVIDER", undefined, oneOf("openai-compatible", "anthropic", "gemini"));
  const given = {
    AI_MODEL: read("AI_MODEL", undefined, text),
    AI_BASE_URL: read("AI_BASE_URL", undefined, url),
    AI_API_KEY: read("AI_API_KEY", undefined, text),
  };
  const isOwnServer = provider === "openai-compatible" && given.AI_BASE_URL !== undefined;
  const needed = provider === undefined ? [] : (["AI_MODEL", ...(isOwnServer ? [] : ["AI_API_KEY" as const])] as const);
  for (const name of needed)
    if (given[name] === undefined) mistakes.push(`${name}: is missing, although AI_PROVIDER is set`);
  const alone = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  const isExplained = mistakes.some((mistake) => mistake.startsWith("AI_PROVIDER:"));
  if (provider === undefined && alone !== undefined && !isExplained)
    mistakes.push(`AI_PROVIDER: is missing, although ${alone} is set`);
  if (provider === undefined || given.AI_MODEL === undefined) return undefined;
  return { provider, model: given.AI_MODEL, baseUrl: given.AI_BASE_URL, apiKey: given.AI_API_KEY };
}

/** Which models are asked where nobody names one. */
function readModels(read: Read): DefaultModels {
  return {
    openai: read("DEFAULT_MODEL_OPENAI", defaultModels.openai, text),
    openaiImage: read("DEFAULT_MODEL_OPENAI_IMAGE", defaultModels.openaiImage, text),
    anthropic: read("DEFAULT_MODEL_ANTHROPIC", defaultModels.anthropic, text),
    gemini: read("DEFAULT_MODEL_GEMINI", defaultModels.gemini, text),
    elevenlabs: read("DEFAULT_MODEL_ELEVENLABS", defaultModels.elevenlabs, text),
  };
}

const samplers = {
  always_on: { ratio: 1, isParentBased: false },
  always_off: { ratio: 0, isParentBased: false },
  traceidratio: { ratio: undefined, isParentBased: false },
  parentbased_always_on: { ratio: 1, isParentBased: true },
  parentbased_always_off: { ratio: 0, isParentBased: true },
  parentbased_traceidratio: { ratio: undefined, isParentBased: true },
};

const readExecutionLimits = (read: Read) => ({
  maxConcurrentExecutions: read("SEMAPHORE_MAX_CONCURRENT_EXECUTIONS", "5", integer(1, 100_000)),
  maxQueuedExecutions: read("SEMAPHORE_MAX_QUEUE", "1000", integer(0, 1_000_000)),
  maxExecutionTimeMs: read("MCP_MAX_EXECUTION_TIME", "5m", duration),
  maxResultCharacters: read("MCP_MAX_RESULT_CHARACTERS", "25000", integer(1000, 100_000_000)),
  maxRunTimeMs: read("TASK_RUNNER_MAX_EXECUTION_TIME", "1h", duration),
  maxRunsAtOnce: read("TASK_RUNNER_MAX_RUNS", "256", integer(1, 10_000)),
  maxCallsPerRun: read("TASK_RUNNER_MAX_CALLS", undefined, integer(1, 100_000)),
});

/** Whether strangers may come, and what those who are in may begin. */
function readTenancy(read: Read) {
  const deploymentMode = read("DEPLOYMENT_MODE", "self-hosted", oneOf("self-hosted", "cloud"));
  const usual = deploymentMode === "cloud" ? "everyone" : "managers";
  return { deploymentMode, organizationCreation: read("ORGANIZATION_CREATION", usual, oneOf("managers", "everyone")) };
}

/** Where traces go and which of them; the names are OpenTelemetry's own. */
function readTraces(read: Read) {
  const name = read(
    "OTEL_TRACES_SAMPLER",
    "parentbased_always_on",
    oneOf(...(Object.keys(samplers) as (keyof typeof samplers)[])),
  );
  const argument = read("OTEL_TRACES_SAMPLER_ARG", "1", share);
  const { ratio = argument, isParentBased } = samplers[name];
  return {
    endpoint: read("OTEL_EXPORTER_OTLP_ENDPOINT", undefined, url),
    headers: read("OTEL_EXPORTER_OTLP_HEADERS", "", pairs),
    timeoutMs: read("OTEL_EXPORTER_OTLP_TIMEOUT", "10000", integer(1, 600_000)),
    resource: {
      ...read("OTEL_RESOURCE_ATTRIBUTES", "", pairs),
      "service.name": read("OTEL_SERVICE_NAME", "switchyard", text),
    },
    sampler: { ratio, isParentBased },
  };
}

function readDoor(read: Read, name: "PLATFORM_API" | "MCP_API", defaultPort: number) {
  const givenUrl = read(`${name}_BASE_URL`, undefined, url);
  const port = read(`${name}_PORT`, String(loopbackPort(givenUrl) ?? defaultPort), integer(0, 65_535));
  return { port, baseUrl: givenUrl ?? `http://localhost:${port}` };
}

// A loopback base URL names the port people will use, so it is also the port to listen on; behind a proxy it is not.
function loopbackPort(baseUrl: string | undefined): number | undefined {
  if (baseUrl === undefined) return undefined;
  const { hostname, port, protocol } = new URL(baseUrl);
  return protocol === "http:" && isLoopbackName(hostname) && port !== "" ? Number(port) : undefined;
}
