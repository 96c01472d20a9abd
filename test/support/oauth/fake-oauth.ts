import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

type Answer = { status?: number; type?: string; headers?: Record<string, string>; body: string };
type TokenRequest = { parameters: Record<string, string>; headers: IncomingMessage["headers"] };

export type FakeOAuth = Awaited<ReturnType<typeof startFakeOAuth>>;

/** A provider on loopback with a token endpoint that rotates refresh tokens, and `/me` for those with a valid token. */
export async function startFakeOAuth() {
  const newToken = (kind: string) => `${kind}-${randomBytes(12).toString("hex")}`;
  const fake = {
    accessTokens: new Set<string>(),
    refreshTokens: new Set<string>(),
    codes: new Set<string>(),
    rotates: true,
    expiresInSeconds: 3600 as number | undefined,
    delayMs: 0,
    /** The token endpoint answers nobody before it. */
    gate: Promise.resolve(),
    tokenRequests: [] as TokenRequest[],
    /** Access tokens in the order in which they were given out. */
    issued: [] as string[],
    /** Of token requests that were under way at once. */
    mostAtOnce: 0,
    /** Tokens and codes that were sent and are none, or none any more. */
    deadGrants: [] as string[],
    apiRequests: [] as IncomingMessage["headers"][],
    /** Instead of what a well-behaved provider says. */
    answerToken: undefined as ((request: TokenRequest) => Answer | undefined | Promise<Answer | undefined>) | undefined,
    answerApi: undefined as ((headers: IncomingMessage["headers"]) => Answer) | undefined,
  };

  let atOnce = 0;

  function grant({ parameters: { grant_type, refresh_token, code } }: TokenRequest): Answer {
    const [given = "", valid] =
      grant_type === "refresh_token" ? [refresh_token, fake.refreshTokens] : [code, fake.codes];
    if (!valid.has(given)) {
      fake.deadGrants.push(given);
      return { status: 400, body: JSON.stringify({ error: "invalid_grant", error_description: `bad ${given}` }) };
    }
    const tokens = {
      access_token: newToken("access"),
      refresh_token: newToken("refresh"),
      token_type: "bearer",
      expires_in: fake.expiresInSeconds,
    };
    fake.accessTokens.add(tokens.access_token);
    fake.issued.push(tokens.access_token);
    if (!fake.rotates) return { body: JSON.stringify({ ...tokens, refresh_token: undefined }) };
    valid.delete(given);
    fake.refreshTokens.add(tokens.refresh_token);
    return { body: JSON.stringify(tokens) };
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    if (request.url !== "/token") {
      fake.apiRequests.push(request.headers);
      const isKnown = fake.accessTokens.has(String(request.headers.authorization).replace(/^Bearer /, ""));
      if (fake.answerApi) return fake.answerApi(request.headers);
      return isKnown ? { body: '{"account":"acme"}' } : { status: 401, body: '{"message":"bad token"}' };
    }
    const body = await text(request);
    const isJson = request.headers["content-type"] === "application/json";
    const parameters = (isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))) as Record<
      string,
      string
    >;
    const seen = { parameters, headers: request.headers };
    fake.tokenRequests.push(seen);
    atOnce += 1;
    fake.mostAtOnce = Math.max(fake.mostAtOnce, atOnce);
    try {
      await delay(fake.delayMs);
      await fake.gate;
      return (await fake.answerToken?.(seen)) ?? grant(seen);
    } finally {
      atOnce -= 1;
    }
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void answer(request).then(({ status = 200, type = "application/json", headers, body }) =>
      response.writeHead(status, { "content-type": type, ...headers }).end(body),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return Object.assign(fake, {
    url,
    /** Data of a connection whose token has just expired, or expires then. */
    connection(expiresAt = new Date(Date.now() - 1000)) {
      const [accessToken, refreshToken] = [newToken("access"), newToken("refresh")];
      fake.accessTokens.add(accessToken);
      fake.issued.push(accessToken);
      fake.refreshTokens.add(refreshToken);
      return {
        clientId: "client",
        clientSecret: "client-secret-value",
        tokenUrl: `${url}/token`,
        baseUrl: url,
        accessToken,
        refreshToken,
        expiresAt: expiresAt.toISOString(),
      };
    },
    reset() {
      Object.assign(fake, {
        rotates: true,
        expiresInSeconds: 3600,
        delayMs: 0,
        gate: Promise.resolve(),
        tokenRequests: [],
        issued: [],
        mostAtOnce: 0,
        deadGrants: [],
        apiRequests: [],
        answerToken: undefined,
        answerApi: undefined,
      });
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
