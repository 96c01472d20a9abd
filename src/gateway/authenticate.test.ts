import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { Refusal } from "../base/refusal.ts";
import type { VerifiedCaller } from "../identity/api-keys.ts";
import { createAuthenticate, createVerifyBearer, type VerifyBearer } from "./authenticate.ts";

const organizationId = "organization-1";
const slack = { id: "slack", scopes: ["mcp:invoke"], acceptsApiKeys: true, acceptsTokens: true };
const platform = {
  id: "platform",
  scopes: ["platform:read", "platform:write"],
  acceptsApiKeys: false,
  acceptsTokens: true,
};
const connection = {
  id: "connection-1",
  userId: "user-1",
  userName: "Ann",
  clientId: "client-1",
  clientName: "Test client",
};
const keyInfo = { organizationId, apiKeyId: "key-1", apiKeyName: "Test key" };

type Call = {
  url?: string;
  headers?: Record<string, string>;
  server?: typeof slack;
  rules?: Partial<VerifiedCaller>;
  tokenScopes?: string[];
};

/** What authentication makes of one real request, and what it asked for that. */
async function authenticate({
  url = "/mcp",
  headers = {},
  server = slack,
  rules = {},
  tokenScopes = ["mcp:invoke"],
}: Call) {
  const asked: string[][] = [];
  const verifyBearer: VerifyBearer = async (token, serverId) => {
    asked.push(["token", token, serverId]);
    return { organizationId, scopes: tokenScopes, connection };
  };
  const verify = async (key: string | undefined, scope: string): Promise<VerifiedCaller> => {
    asked.push(["key", String(key), scope]);
    return { ...keyInfo, toolRules: null, defaultCredentials: null, ...rules };
  };
  const check = createAuthenticate({ apiKeys: { verify }, verifyBearer });
  const door = fastify();
  let outcome: unknown;
  door.post("/mcp", async (request) => {
    outcome = await check(request, server).catch((error: unknown) => error);
    return {};
  });
  await door.inject({ method: "POST", url, headers });
  await door.close();
  const refusal = outcome instanceof Refusal ? [outcome.code, outcome.message] : undefined;
  return { asked, refusal, outcome };
}

const missingKey = ["api_key_missing", "Send an API key in the X-API-Key header, or connect with OAuth."];
const missingToken = ["access_token_missing", "Connect with OAuth."];
const invalidToken = ["access_token_invalid", "This access token is not valid here."];

describe("a bearer token", () => {
  it.each(["Bearer abc", "bearer abc", "BEARER   abc", " Bearer abc "])("is read from %j", async (authorization) => {
    const { asked, outcome } = await authenticate({ headers: { authorization } });
    expect(asked).toEqual([["token", "abc", "slack"]]);
    expect(outcome).toEqual({ organizationId, scopes: ["mcp:invoke"], connection });
  });

  it.each(["Bearer", "bearer  "])(
    "that is empty (%j) is refused without being looked up, also beside a key",
    async (authorization) => {
      const { asked, refusal } = await authenticate({ headers: { authorization, "x-api-key": "swy_1" } });
      expect([asked, refusal]).toEqual([[], invalidToken]);
    },
  );

  it.each(["Basic abc", "Bearerabc", "xBearer abc"])("is not what %j says", async (authorization) => {
    expect(await authenticate({ headers: { authorization } })).toMatchObject({ asked: [], refusal: missingKey });
  });

  it("leaves a key that comes with it unread", async () => {
    const { asked } = await authenticate({ headers: { authorization: "Bearer abc", "x-api-key": "swy_1" } });
    expect(asked).toEqual([["token", "abc", "slack"]]);
  });

  it("needs one of the server's scopes, and one is enough", async () => {
    const call = { headers: { authorization: "Bearer abc" }, server: platform };
    expect((await authenticate({ ...call, tokenScopes: ["mcp:invoke", "platform:write"] })).refusal).toBeUndefined();
    const refusal = ["insufficient_scope", "This needs the scope platform:read or platform:write."];
    for (const tokenScopes of [[], ["mcp:invoke"]])
      expect(await authenticate({ ...call, tokenScopes })).toMatchObject({ refusal });
  });
});

describe("an API key", () => {
  it("is verified for calling tools and says for whom it speaks", async () => {
    const { asked, outcome } = await authenticate({ headers: { "x-api-key": " swy_1 " } });
    expect(asked).toEqual([["key", "swy_1", "mcp:invoke"]]);
    expect(outcome).toEqual({ organizationId, scopes: ["mcp:invoke"], apiKey: { id: "key-1", name: "Test key" } });
  });

  it("sees the tools that its rules leave", async () => {
    const { outcome } = await authenticate({
      headers: { "x-api-key": "swy_1" },
      rules: { toolRules: ["slack_post_message"] },
    });
    const { view } = outcome as { view: { allows: (name: string) => boolean } };
    expect([view.allows("slack_post_message"), view.allows("slack_delete_message")]).toEqual([true, false]);
  });

  it("is asked for where it is taken, and refused where it is not", async () => {
    for (const headers of [{}, { "x-api-key": "  " }]) {
      expect(await authenticate({ headers })).toMatchObject({ asked: [], refusal: missingKey });
      expect(await authenticate({ headers, server: platform })).toMatchObject({ asked: [], refusal: missingToken });
    }
    const refusal = ["api_key_not_accepted", "This server takes no API keys. Connect with OAuth."];
    expect(await authenticate({ headers: { "x-api-key": "swy_1" }, server: platform })).toMatchObject({
      asked: [],
      refusal,
    });
  });
});

describe("an address", () => {
  const headers = { "x-api-key": "swy_1" };

  it.each(["access_token=abc", "a=1&ACCESS_TOKEN=abc", "key=swy_1", "a=1&k=swy_1", "=swy_1"])(
    "with ?%s is refused",
    async (query) => {
      const message = "Keys and tokens belong in headers, never in the address. Replace the one that was sent.";
      for (const [server, code] of [[slack, "api_key_missing"] as const, [platform, "access_token_missing"] as const])
        expect(await authenticate({ url: `/mcp?${query}`, headers, server })).toMatchObject({
          asked: [],
          refusal: [code, message],
        });
    },
  );

  it.each(["a=1", "my_access_token=1", "access_token", "swy_1", "a=1swy_", "a=1=swy_"])(
    "with ?%s is not",
    async (query) => {
      expect((await authenticate({ url: `/mcp?${query}`, headers })).refusal).toBeUndefined();
    },
  );
});

describe("an origin", () => {
  const from = (origin: string) => authenticate({ headers: { "x-api-key": "swy_1", origin } });

  it.each(["null", "https://a.example", "http://localhost:6274", "vscode-webview://abc", "x-1.y+z://a", "FILE://"])(
    "of the form %s may call",
    async (origin) => {
      expect((await from(origin)).refusal).toBeUndefined();
    },
  );

  it.each([
    "",
    "nonsense",
    "1https://a.example",
    "https://a.example/path",
    "https://a b",
    "https://user@a.example",
    "https://a,https://b",
  ])("of the form %j may not", async (origin) => {
    const refusal = ["origin_refused", "The Origin header does not have the form of an origin."];
    expect(await from(origin)).toMatchObject({ asked: [], refusal });
  });
});

describe("an access token that was verified", () => {
  const verified = {
    organizationId,
    serverId: "slack",
    connectionId: connection.id,
    role: "member" as const,
    scope: "mcp:invoke",
  };
  const { id: _, ...person } = connection;
  const verifyWith = (defaultCredentials: Record<string, string> | null) => {
    const asked: string[][] = [];
    const verifyBearer = createVerifyBearer(async (...words) => {
      asked.push(words);
      return { ...verified, ...person, scopes: ["mcp:invoke"], defaultCredentials };
    });
    return { asked, verifyBearer };
  };

  it("speaks for its connection", async () => {
    const { asked, verifyBearer } = verifyWith(null);
    expect(await verifyBearer("abc", "slack")).toEqual({ organizationId, scopes: ["mcp:invoke"], connection });
    expect(asked).toEqual([["abc", "slack"]]);
  });

  it("sees every tool and has the default credentials of its organization", async () => {
    const { view } = await verifyWith({ slack: "credential-1" }).verifyBearer("abc", "slack");
    expect(view?.allows("slack_post_message")).toBe(true);
    expect(view?.defaults).toEqual(new Map([["slack", "credential:organization:credential-1"]]));
  });
});
