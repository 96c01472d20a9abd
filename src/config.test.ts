import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { defaultModels } from "./base/default-models.ts";
import { readConfig, readEnvironment } from "./config.ts";

const key = Buffer.alloc(32, 7).toString("base64");

function mistakesOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    const [, ...lines] = (error as Error).message.split("\n");
    return lines.map((line) => line.trim());
  }
  return [];
}

describe("without any setting", () => {
  it("has a default for everything but what stays off", () => {
    expect(readConfig({})).toEqual({
      platform: { port: 3000, baseUrl: "http://localhost:3000" },
      gateway: { port: 3100, baseUrl: "http://localhost:3100" },
      processes: "auto",
      listenHost: "localhost",
      trustedProxies: [],
      oauth: {
        issuerUrl: "http://localhost:3100",
        resourceUrl: "http://localhost:3100",
        consentUrlTemplate: "http://localhost:3000/consent/{uid}",
        allowHttp: false,
        accessTokenLifetimeMs: 1_800_000,
        tokenLimitPerMinute: 60,
        registrationLimitPerHour: 20,
      },
      serverUrlTemplate: "http://localhost:3100/{serverId}/mcp",
      maxConcurrentExecutions: 5,
      maxExecutionTimeMs: 300_000,
      maxQueuedExecutions: 1000,
      maxRunTimeMs: 3_600_000,
      maxRunsAtOnce: 256,
      dataDir: resolve(".switchyard"),
      databaseUrl: undefined,
      databasePoolerUrl: undefined,
      databasePoolSize: 10,
      historyRetentionDays: 90,
      historyMaxRows: 1_000_000,
      deploymentMode: "self-hosted",
      organizationCreation: "managers",
      outboundAllowedCidrs: [],
      masterKey: undefined,
      previousMasterKeys: [],
      oauthClients: {},
      models: defaultModels,
      cookieKey: undefined,
      previousCookieKeys: [],
      smtpUrl: undefined,
      mailFrom: "Switchyard <switchyard@localhost>",
      slowStatementMs: 500,
      blockedLoopMs: 200,
      traces: {
        endpoint: undefined,
        headers: {},
        timeoutMs: 10_000,
        resource: { "service.name": "switchyard" },
        sampler: { ratio: 1, isParentBased: true },
      },
      sendsTraceParent: false,
      logLevel: "info",
      metricsToken: undefined,
      signInLimitPerMinute: 10,
      signInAddressLimitPerMinute: 60,
      ownEventsPerMinute: 20,
      keyLimitPerMinute: 600,
      maxResultCharacters: 25_000,
    });
  });

  it("takes an empty or blank value for none", () => {
    const names = variablesRead();
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ""])))).toEqual(readConfig({}));
    expect(readConfig(Object.fromEntries(names.map((name) => [name, "  "])))).toEqual(readConfig({}));
  });
});

describe("a good value", () => {
  it.each<[string, string, (config: ReturnType<typeof readConfig>) => unknown, unknown]>([
    [
      "PLATFORM_API_BASE_URL",
      "https://switchyard.example/",
      (c) => c.platform,
      { port: 3000, baseUrl: "https://switchyard.example" },
    ],
    [
      "PLATFORM_API_BASE_URL",
      "http://localhost:4000",
      (c) => c.platform,
      { port: 4000, baseUrl: "http://localhost:4000" },
    ],
    ["PLATFORM_API_PORT", "4000", (c) => c.platform, { port: 4000, baseUrl: "http://localhost:4000" }],
    ["MCP_API_BASE_URL", "https://mcp.example", (c) => c.oauth.issuerUrl, "https://mcp.example"],
    ["MCP_API_PORT", "4100", (c) => c.serverUrlTemplate, "http://localhost:4100/{serverId}/mcp"],
    ["LISTEN_HOST", "0.0.0.0", (c) => c.listenHost, "0.0.0.0"],
    ["TRUSTED_PROXIES", "10.0.0.0/8, fd00::/8", (c) => c.trustedProxies, ["10.0.0.0/8", "fd00::/8"]],
    ["MCP_OAUTH_ISSUER_URL", "http://localhost:3100/auth", (c) => c.oauth.issuerUrl, "http://localhost:3100/auth"],
    ["MCP_OAUTH_RESOURCE_URL", "http://127.0.0.1:1/tools/", (c) => c.oauth.resourceUrl, "http://127.0.0.1:1/tools"],
    [
      "MCP_OAUTH_RESOURCE_URL",
      "http://127.0.0.1:1/tools/",
      (c) => c.serverUrlTemplate,
      "http://127.0.0.1:1/tools/{serverId}/mcp",
    ],
    [
      "MCP_OAUTH_CONSENT_URL_TEMPLATE",
      "http://localhost:3000/x/{uid}",
      (c) => c.oauth.consentUrlTemplate,
      "http://localhost:3000/x/{uid}",
    ],
    ["MCP_OAUTH_ALLOW_HTTP", "true", (c) => c.oauth.allowHttp, true],
    ["MCP_OAUTH_ACCESS_TOKEN_TTL", "5m", (c) => c.oauth.accessTokenLifetimeMs, 300_000],
    ["RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE", "1", (c) => c.oauth.tokenLimitPerMinute, 1],
    ["RATE_LIMIT_OAUTH_REGISTRATION_PER_HOUR", "1", (c) => c.oauth.registrationLimitPerHour, 1],
    ["SWITCHYARD_COOKIE_KEY_PREVIOUS", key, (c) => c.previousCookieKeys.map((one) => one.toString("base64")), [key]],
    [
      "MCP_SERVER_URL_TEMPLATE",
      "https://{serverId}.a.example/mcp",
      (c) => c.serverUrlTemplate,
      "https://{serverId}.a.example/mcp",
    ],
    ["SEMAPHORE_MAX_CONCURRENT_EXECUTIONS", "1", (c) => c.maxConcurrentExecutions, 1],
    ["SEMAPHORE_MAX_QUEUE", "0", (c) => c.maxQueuedExecutions, 0],
    ["TASK_RUNNER_MAX_EXECUTION_TIME", "30m", (c) => c.maxRunTimeMs, 1_800_000],
    ["TASK_RUNNER_MAX_RUNS", "1", (c) => c.maxRunsAtOnce, 1],
    ["TASK_RUNNER_MAX_CALLS", "1", (c) => c.maxCallsPerRun, 1],
    ["MCP_MAX_EXECUTION_TIME", "90s", (c) => c.maxExecutionTimeMs, 90_000],
    ["SWITCHYARD_DATA_DIR", "/data", (c) => c.dataDir, "/data"],
    ["DATABASE_URL", "postgresql://u:p@h/d", (c) => c.databaseUrl, "postgresql://u:p@h/d"],
    ["DATABASE_POOL_SIZE", "2", (c) => c.databasePoolSize, 2],
    ["HISTORY_RETENTION_DAYS", "7", (c) => c.historyRetentionDays, 7],
    ["HISTORY_MAX_ROWS", "5000", (c) => c.historyMaxRows, 5000],
    ["DEPLOYMENT_MODE", "cloud", (c) => c.deploymentMode, "cloud"],
    ["OUTBOUND_ALLOWED_CIDRS", "192.168.0.0/16", (c) => c.outboundAllowedCidrs, ["192.168.0.0/16"]],
    ["SWITCHYARD_MASTER_KEY", key, (c) => c.masterKey?.toString("base64"), key],
    [
      "SWITCHYARD_MASTER_KEY_PREVIOUS",
      `${key}, ${key}`,
      (c) => c.previousMasterKeys.map((one) => one.toString("base64")),
      [key, key],
    ],
    ["SWITCHYARD_COOKIE_KEY", ` ${key} `, (c) => c.cookieKey?.toString("base64"), key],
    ["SMTP_URL", "smtps://u:p@mail.example", (c) => c.smtpUrl, "smtps://u:p@mail.example"],
    ["MAIL_FROM", "a@b.example", (c) => c.mailFrom, "a@b.example"],
    ["LOG_LEVEL", "silent", (c) => c.logLevel, "silent"],
    ["OPERATIONS_PORT", "3200", (c) => c.operations, { port: 3200, baseUrl: "http://localhost:3200" }],
    ["PROCESSES", "1", (c) => c.processes, 1],
    ["PROCESSES", "64", (c) => c.processes, 64],
    ["METRICS_TOKEN", "t", (c) => c.metricsToken, "t"],
    ["RATE_LIMIT_SIGN_IN_PER_MINUTE", "1", (c) => c.signInLimitPerMinute, 1],
    ["RATE_LIMIT_SIGN_IN_PER_MINUTE", "100", (c) => c.signInAddressLimitPerMinute, 100],
    ["RATE_LIMIT_SIGN_IN_ADDRESS_PER_MINUTE", "1", (c) => c.signInAddressLimitPerMinute, 1],
    ["MCP_MAX_RESULT_CHARACTERS", "1000", (c) => c.maxResultCharacters, 1000],
    ["TRIGGER_OWN_EVENTS_PER_MINUTE", "1", (c) => c.ownEventsPerMinute, 1],
    ["RATE_LIMIT_API_KEY_PER_MINUTE", "1", (c) => c.keyLimitPerMinute, 1],
  ])("of %s=%s is taken", (name, value, pick, expected) => {
    expect(pick(readConfig({ [name]: value }))).toEqual(expected);
  });
});

const nonsense: Record<string, string[]> = {
  ORGANIZATION_CREATION: ["yes", "owners"],
  PLATFORM_API_BASE_URL: ["localhost:3000", "ftp://x", "http://", "http://a:b@x", "http://x?a=b", "http://x#a", "/"],
  PLATFORM_API_PORT: ["-1", "65536", "80.5", "http", "0x50", "1e3"],
  MCP_API_BASE_URL: ["nonsense"],
  MCP_API_PORT: ["70000", "3000"],
  OPERATIONS_PORT: ["0", "65536", "3000", "3100", "metrics"],
  PROCESSES: ["0", "65", "-1", "1.5", "many", "AUTO"],
  TRUSTED_PROXIES: ["10.0.0.1", "10.0.0.0/33", "proxy.example", "true"],
  MCP_OAUTH_ISSUER_URL: ["issuer"],
  MCP_OAUTH_RESOURCE_URL: ["resource"],
  MCP_OAUTH_CONSENT_URL_TEMPLATE: [
    "https://a.example/consent",
    "{uid}",
    "https://a.example/{UID}",
    "https://a.example/{uid}",
  ],
  MCP_OAUTH_ALLOW_HTTP: ["yes", "1"],
  MCP_OAUTH_ACCESS_TOKEN_TTL: ["30", "0s"],
  RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE: ["0", "many"],
  RATE_LIMIT_OAUTH_REGISTRATION_PER_HOUR: ["0", "many"],
  SWITCHYARD_COOKIE_KEY_PREVIOUS: ["changeme"],
  MCP_SERVER_URL_TEMPLATE: ["https://a.example/mcp", "/{serverId}/mcp", "http://a.example/{serverId}/mcp"],
  SEMAPHORE_MAX_QUEUE: ["-1", "x", "9999999"],
  TASK_RUNNER_MAX_EXECUTION_TIME: ["0s", "soon", "-1m"],
  TASK_RUNNER_MAX_RUNS: ["0", "x", "10001"],
  TASK_RUNNER_MAX_CALLS: ["0", "x", "-1"],
  SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: ["0", "-1", "abc", "1.5", "1e3", "Infinity", "99999999999"],
  MCP_MAX_EXECUTION_TIME: ["5", "0s", "-5m", "5 m", "1.5h", "5M", "30d", "abc"],
  MCP_MAX_RESULT_CHARACTERS: ["999", "ten", "-1", "1e5"],
  DATABASE_URL: ["mysql://h/d", "host=localhost"],
  DATABASE_POOLER_URL: ["pooler:6432", "mysql://pooler/app"],
  DATABASE_POOL_SIZE: ["1", "0", "1001", "ten"],
  HISTORY_RETENTION_DAYS: ["0", "90d", "40000"],
  HISTORY_MAX_ROWS: ["0", "1e6", "many"],
  DEPLOYMENT_MODE: ["prod", "Cloud"],
  OUTBOUND_ALLOWED_CIDRS: ["internal", "10.0.0.0/8 nonsense"],
  SWITCHYARD_MASTER_KEY: ["changeme", Buffer.alloc(31).toString("base64"), Buffer.alloc(32).toString("hex")],
  SWITCHYARD_MASTER_KEY_PREVIOUS: [`${key},changeme`],
  SWITCHYARD_COOKIE_KEY: ["secret", Buffer.alloc(33).toString("base64")],
  SMTP_URL: ["mail.example", "http://mail.example"],
  AI_PROVIDER: ["openai", "chatty"],
  AI_BASE_URL: ["localhost:11434"],
  LOG_LEVEL: ["verbose", "INFO"],
  SLOW_STATEMENT_WARNING: ["500", "0ms"],
  EVENT_LOOP_WARNING: ["200", "never"],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["localhost:4318", "grpc://collector:4317"],
  OTEL_EXPORTER_OTLP_HEADERS: ["hunter2", "a=%zz"],
  OTEL_EXPORTER_OTLP_TIMEOUT: ["0", "10s"],
  OTEL_RESOURCE_ATTRIBUTES: ["production"],
  OTEL_TRACES_SAMPLER: ["sometimes", "parentbased_jaeger_remote"],
  OTEL_TRACES_SAMPLER_ARG: ["1.5", "-1", "half"],
  OUTBOUND_TRACEPARENT: ["yes", "1"],
  RATE_LIMIT_SIGN_IN_PER_MINUTE: ["0", "off"],
  RATE_LIMIT_SIGN_IN_ADDRESS_PER_MINUTE: ["0", "off"],
  TRIGGER_OWN_EVENTS_PER_MINUTE: ["0", "many"],
  RATE_LIMIT_API_KEY_PER_MINUTE: ["0", "many"],
};
/** Any text means something for these. */
const freeText = [
  ...["OPENAI", "OPENAI_IMAGE", "ANTHROPIC", "GEMINI", "ELEVENLABS"].map((name) => `DEFAULT_MODEL_${name}`),
  "LISTEN_HOST",
  "SWITCHYARD_DATA_DIR",
  "MAIL_FROM",
  "METRICS_TOKEN",
  "AI_MODEL",
  "AI_API_KEY",
  "OTEL_SERVICE_NAME",
];

describe("nonsense", () => {
  it.each(Object.entries(nonsense).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    "in %s=%s is one mistake that starts with its name",
    (name, value) => {
      const mistakes = mistakesOf({ [name]: value });
      expect(mistakes).toHaveLength(1);
      expect(mistakes[0]).toMatch(new RegExp(`^${name}: \\S`));
    },
  );

  it("in every variable is reported at once, in one message", () => {
    const environment = Object.fromEntries(Object.entries(nonsense).map(([name, [value = ""]]) => [name, value]));
    expect(mistakesOf(environment).map((line) => line.split(":", 1)[0])).toEqual(
      expect.arrayContaining(Object.keys(nonsense)),
    );
    expect(mistakesOf(environment)).toHaveLength(Object.keys(nonsense).length);
    expect([...Object.keys(nonsense), ...freeText].sort()).toEqual(variablesRead());
  });

  it("never shows a secret", () => {
    const secret = "hunter2-Tr0ub4dor";
    const environment = {
      SWITCHYARD_MASTER_KEY: secret,
      SWITCHYARD_COOKIE_KEY: secret,
      DATABASE_URL: `mysql://user:${secret}@db/app`,
      SMTP_URL: `https://user:${secret}@mail.example`,
      PLATFORM_API_BASE_URL: `https://user:${secret}@switchyard.example`,
      METRICS_TOKEN: secret,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${secret}%`,
      LOG_LEVEL: "wrong",
    };
    expect(mistakesOf(environment)).toHaveLength(7);
    expect(mistakesOf(environment).join()).not.toContain(secret);
  });
});

describe("a path of the gateway", () => {
  const words = (name: string, segment: string) =>
    `${name}: its path must not begin with /${segment}, because the gateway has addresses of its own there; choose another one`;

  it.each(["oauth", "servers", ".well-known"])("must not begin with /%s, which is its own", (segment) => {
    const base = `https://tools.test/${segment}`;
    expect(mistakesOf({ PLATFORM_API_BASE_URL: "https://web.test", MCP_API_BASE_URL: `${base}/x` })).toEqual([
      words("MCP_API_BASE_URL", segment),
    ]);
    const rest = { PLATFORM_API_BASE_URL: "https://web.test", MCP_API_BASE_URL: "https://tools.test/a" };
    for (const name of ["MCP_OAUTH_ISSUER_URL", "MCP_OAUTH_RESOURCE_URL"])
      expect(mistakesOf({ ...rest, [name]: base })).toEqual([words(name, segment)]);
  });

  it("may have such a word elsewhere", () => {
    for (const path of ["oauth2", "a/oauth", "my.servers"])
      expect(
        mistakesOf({ PLATFORM_API_BASE_URL: "https://web.test", MCP_API_BASE_URL: `https://tools.test/${path}` }),
      ).toEqual([]);
  });
});

describe("a pooler", () => {
  it("stands beside the way to the database itself, which sessions need", () => {
    const [direct, pooler] = ["postgres://db/app", "postgres://pooler:6432/app"];
    expect(readConfig({ DATABASE_URL: direct, DATABASE_POOLER_URL: pooler })).toMatchObject({
      databaseUrl: direct,
      databasePoolerUrl: pooler,
    });
    expect(mistakesOf({ DATABASE_URL: "mysql://db.test/app", DATABASE_POOLER_URL: pooler })).toEqual([
      expect.stringMatching(/^DATABASE_URL: (?!is missing)/),
    ]);
    expect(mistakesOf({ DATABASE_POOLER_URL: pooler })).toEqual([
      "DATABASE_URL: is missing, although DATABASE_POOLER_URL is set; sessions must reach PostgreSQL itself",
    ]);
  });
});

describe("clients for connecting accounts", () => {
  it("are read by credential type", () => {
    expect(
      readConfig({
        OAUTH_CLIENT_GOOGLE_DRIVE_ID: "id",
        OAUTH_CLIENT_GOOGLE_DRIVE_SECRET: "text",
        OAUTH_CLIENT_X_ID: " ",
      }).oauthClients,
    ).toEqual({
      GOOGLE_DRIVE: { id: "id", secret: "text" },
    });
  });

  it("need both parts, and a mistake does not show the secret", () => {
    expect(mistakesOf({ OAUTH_CLIENT_GITHUB_SECRET: "hunter2" })).toEqual([
      "OAUTH_CLIENT_GITHUB_ID: is missing, although OAUTH_CLIENT_GITHUB_SECRET is set",
    ]);
  });
});

describe("the language model", () => {
  it("is none unless a provider is named", () => {
    expect(readConfig({}).ai).toBeUndefined();
  });

  it.each([
    [
      { AI_PROVIDER: "anthropic", AI_MODEL: "m", AI_API_KEY: "k" },
      { provider: "anthropic", model: "m", baseUrl: undefined, apiKey: "k" },
    ],
    [
      { AI_PROVIDER: "openai-compatible", AI_MODEL: "m", AI_BASE_URL: "http://localhost:11434/v1/" },
      { provider: "openai-compatible", model: "m", baseUrl: "http://localhost:11434/v1", apiKey: undefined },
    ],
  ])("is read from %j", (environment, ai) => {
    expect(readConfig(environment).ai).toEqual(ai);
  });

  it.each([
    [
      { AI_PROVIDER: "gemini" },
      ["AI_MODEL: is missing, although AI_PROVIDER is set", "AI_API_KEY: is missing, although AI_PROVIDER is set"],
    ],
    [{ AI_PROVIDER: "openai-compatible", AI_MODEL: "m" }, ["AI_API_KEY: is missing, although AI_PROVIDER is set"]],
    [
      { AI_PROVIDER: "anthropic", AI_MODEL: "m", AI_BASE_URL: "https://a.example" },
      ["AI_API_KEY: is missing, although AI_PROVIDER is set"],
    ],
    [{ AI_API_KEY: "hunter2" }, ["AI_PROVIDER: is missing, although AI_API_KEY is set"]],
    [{ AI_PROVIDER: "chatty", AI_MODEL: "m" }, ["AI_PROVIDER: must be one of openai-compatible, anthropic, gemini"]],
    [
      { AI_PROVIDER: "gemini", AI_MODEL: "m", AI_API_KEY: "k", AI_BASE_URL: "localhost" },
      ["AI_BASE_URL: must be an absolute http or https URL"],
    ],
  ])("is refused when %j does not fit together", (environment, mistakes) => {
    expect(mistakesOf(environment)).toEqual(mistakes);
  });
});

describe("traces", () => {
  it("are set up with OpenTelemetry's own variables", () => {
    const { traces } = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20a%2Cb, x-team = yard",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      OTEL_SERVICE_NAME: "yard",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
    });
    expect(traces).toEqual({
      endpoint: "http://collector:4318",
      headers: { authorization: "Bearer a,b", "x-team": "yard" },
      timeoutMs: 10_000,
      resource: { "deployment.environment.name": "test", "service.name": "yard" },
      sampler: { ratio: 0.25, isParentBased: false },
    });
  });

  it.each([
    ["always_on", 1, false],
    ["always_off", 0, false],
    ["parentbased_always_off", 0, true],
    ["parentbased_traceidratio", 0.5, true],
  ])("know the sampler %s", (name, ratio, isParentBased) => {
    const { sampler } = readConfig({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: "0.5" }).traces;
    expect(sampler).toEqual({ ratio, isParentBased });
  });
});

describe("the .env file", () => {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-env-"));
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is read, and the environment wins over it", () => {
    writeFileSync(
      join(folder, ".env"),
      'LOG_LEVEL=debug\nMAIL_FROM="Team <a@b.example>" # comment\nMETRICS_TOKEN=from-file\n',
    );
    vi.stubEnv("METRICS_TOKEN", "from-environment");
    const config = readConfig(readEnvironment(folder));
    expect([config.logLevel, config.mailFrom, config.metricsToken]).toEqual([
      "debug",
      "Team <a@b.example>",
      "from-environment",
    ]);
    expect(readEnvironment(join(folder, "nowhere")).LOG_LEVEL).toBe(process.env.LOG_LEVEL);
  });
});

describe("what is written about it", () => {
  it("names exactly these variables with these defaults in .env.example", () => {
    const entries = [...readFileSync(".env.example", "utf8").matchAll(/^# ([A-Z][A-Z0-9_]+)=(.*)$/gm)];
    expect(entries.map(([, name]) => name).sort()).toEqual(variablesRead());
    expect(readConfig(Object.fromEntries(entries.map(([, name, value]) => [name, value])))).toEqual(readConfig({}));
  });

  it("names exactly these variables with these defaults in docs/configuration.md", () => {
    const rows = [
      ...readFileSync("docs/configuration.md", "utf8").matchAll(/^\| `([A-Z0-9_]+)` \| (?:none|`(.*?)`) \| (.+) \|$/gm),
    ];
    expect(rows.map(([, name]) => name).sort()).toEqual(variablesRead());
    expect(readConfig(Object.fromEntries(rows.map(([, name, value]) => [name, value])))).toEqual(readConfig({}));
  });
});

function variablesRead(): string[] {
  const names = new Set<string>();
  readConfig(new Proxy({}, { get: (_, name) => void names.add(String(name)) }));
  return [...names].sort();
}
