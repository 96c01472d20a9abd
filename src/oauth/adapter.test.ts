import type { Adapter, AdapterPayload } from "oidc-provider";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../test/support/storage/test-database.ts";
import { silentLog } from "../../test/support/storage/test-postgres.ts";
import { newId } from "../base/ids.ts";
import { createDatabase, type Database } from "../storage/database.ts";
import { createAdapter } from "./adapter.ts";
import { hashSecret } from "./client-secret.ts";
import { oauthTables, saveClient } from "./store.ts";

const [organizationId, userId] = [newId(), newId()];
const day = 86_400;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;
let grantId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase({ target: database.target, applicationName: "test", log: silentLog });
  await database.query("INSERT INTO app_user (id, name, email) VALUES ($1, 'Ann', 'ann@example.com')", [userId]);
  await database.query("INSERT INTO organization (id, name) VALUES ($1, 'Team')", [organizationId]);
  await database.query("INSERT INTO member VALUES ($1, $2, $3, 'owner')", [newId(), organizationId, userId]);
  await saveClient(oauthTables(db), { id: "client", kind: "registered", metadata: "{}" });
});
beforeEach(async () => {
  grantId = newId();
  await database.query(
    `INSERT INTO oauth_connection (id, user_id, organization_id, client_id, client_name, resource, server_id, scopes, created_at, expires_at)
     VALUES ($1, $2, $3, 'client', 'Client', 'https://a.example/slack/mcp', 'slack', '{platform:read,platform:write}',
       to_timestamp(1000.9), to_timestamp(5000000000))`,
    [grantId, userId, organizationId],
  );
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const adapterOf = (model: string) => createAdapter(db)(model) as Adapter;
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => "no refusal",
    (error: { error?: string; error_detail?: string }) => [error.error, error.error_detail],
  );
const countTokens = async () =>
  (await database.query("SELECT 1 FROM oauth_token WHERE connection_id = $1", [grantId])).length;
const ageUse = (id: string, seconds: number) =>
  database.query(
    "UPDATE oauth_token SET consumed_at = now() - make_interval(secs => $2) WHERE id_sha256 = sha256($1::bytea)",
    [Buffer.from(id), seconds],
  );

async function storedOf(id: string) {
  const [row] = await database.query<{ lifetime: number; exp: number; scopes: string[]; connection_id: string | null }>(
    `SELECT extract(epoch FROM expires_at - coalesce(consumed_at, created_at))::int AS lifetime,
       floor(extract(epoch FROM expires_at))::int AS exp, scopes, connection_id
     FROM oauth_token WHERE id_sha256 = sha256($1::bytea)`,
    [Buffer.from(id)],
  );
  return row;
}

async function keep(model: string, payload: AdapterPayload = {}, expiresInSeconds = 600) {
  const id = newId();
  const adapter = adapterOf(model);
  await adapter.upsert(id, { grantId, jti: id, exp: 1, ...payload }, expiresInSeconds);
  return { id, adapter };
}

it("keeps no session of the library", async () => {
  const session = adapterOf("Session");
  const calls = [
    session.upsert("session-1", {}, 60),
    ...[
      session.find("session-1"),
      session.findByUid("session-1"),
      session.findByUserCode("session-1"),
      session.consume("session-1"),
    ],
    ...[session.destroy("session-1"), session.revokeByGrantId(grantId)],
  ];
  expect(new Set(await Promise.all(calls))).toEqual(new Set([undefined]));
  expect([await storedOf("session-1"), await adapterOf("Grant").find(grantId)]).toEqual([undefined, expect.anything()]);
});

describe("a client", () => {
  it("is found as it was registered, except for its secret", async () => {
    const clients = adapterOf("Client");
    const metadata = { client_id: "open", redirect_uris: ["https://a.example/"] };
    await clients.upsert("open", metadata, 0);
    expect(await clients.find("open")).toEqual(metadata);
    await clients.upsert("secretive", { ...metadata, client_secret: "s3cret" }, 0);
    expect(await clients.find("secretive")).toEqual({ ...metadata, client_secret: hashSecret("s3cret") });
  });

  it("is found only if it is known, and registered here", async () => {
    await saveClient(oauthTables(db), {
      id: "https://b.example/client.json",
      kind: "metadata_document",
      metadata: "{}",
    });
    for (const id of ["https://b.example/client.json", "nobody"])
      expect(await adapterOf("Client").find(id)).toBeUndefined();
  });
});

describe("a grant", () => {
  it("is the connection, with its times in whole seconds", async () => {
    expect(await adapterOf("Grant").find(grantId)).toEqual({
      kind: "Grant",
      jti: grantId,
      iat: 1000,
      exp: 5_000_000_000,
      accountId: userId,
      clientId: "client",
      resources: { "https://a.example/slack/mcp": "platform:read platform:write" },
    });
  });

  it("that nobody approved is not there, whatever the library saves", async () => {
    const id = newId();
    await adapterOf("Grant").upsert(id, { accountId: userId, clientId: "client" }, 60);
    expect(await adapterOf("Grant").find(id)).toBeUndefined();
  });

  it.each(["destroy", "revokeByGrantId"] as const)("ends with its tokens on %s", async (method) => {
    const { id, adapter } = await keep("AccessToken");
    await adapterOf(method === "destroy" ? "Grant" : "AccessToken")[method](grantId);
    expect(await adapterOf("Grant").find(grantId)).toBeUndefined();
    expect(await adapter.find(id)).toBeUndefined();
  });
});

describe("a token", () => {
  it("is found again with what was saved, for its own model only", async () => {
    const { id, adapter } = await keep("AccessToken", { scope: " mcp:invoke  platform:read" });
    expect(await adapter.find(id)).toEqual({ grantId, jti: id, exp: 1, scope: " mcp:invoke  platform:read" });
    expect(await storedOf(id)).toMatchObject({
      lifetime: 600,
      scopes: ["mcp:invoke", "platform:read"],
      connection_id: grantId,
    });
    expect(await adapterOf("RefreshToken").find(id)).toBeUndefined();
  });

  it("may have no connection and no scope", async () => {
    const adapter = adapterOf("Interaction");
    const id = newId();
    await adapter.upsert(id, { jti: id }, 60);
    expect(await storedOf(id)).toMatchObject({ lifetime: 60, scopes: [], connection_id: null });
  });

  it("without a lifetime has ended at once", async () => {
    const id = newId();
    await (adapterOf("AccessToken").upsert as (id: string, payload: AdapterPayload) => Promise<unknown>)(id, {
      grantId,
    });
    expect([await adapterOf("AccessToken").find(id), (await storedOf(id))?.lifetime]).toEqual([undefined, 0]);
  });

  it("stays as it is when it is saved again, but a request that waits for a user changes", async () => {
    const [token, request] = [
      await keep("AccessToken", { scope: "first" }),
      await keep("Interaction", { scope: "first" }),
    ];
    for (const { id, adapter } of [token, request]) await adapter.upsert(id, { grantId, scope: "second" }, 600);
    expect([(await token.adapter.find(token.id))?.scope, (await request.adapter.find(request.id))?.scope]).toEqual([
      "first",
      "second",
    ]);
  });

  it("is refused when its connection has ended meanwhile, and fails loudly for any other reason", async () => {
    expect(await refusalOf(keep("AccessToken", { grantId: newId() }))).toEqual([
      "invalid_grant",
      "the connection has ended",
    ]);
    await expect(keep("AccessToken", { grantId: "no id" })).rejects.toMatchObject({ code: "22P02" });
  });

  it("is gone when it is destroyed, and it alone", async () => {
    const [one] = [await keep("AccessToken"), await keep("AccessToken")];
    await one.adapter.destroy(one.id);
    expect([await one.adapter.find(one.id), await countTokens()]).toEqual([undefined, 1]);
  });
});

describe("a code that was used", () => {
  it("is remembered for a week and cannot be used again", async () => {
    const { id, adapter } = await keep("AuthorizationCode", {}, 60);
    await adapter.consume(id);
    expect((await storedOf(id))?.lifetime).toBe(7 * day);
    expect(await refusalOf(adapter.consume(id))).toEqual([
      "invalid_grant",
      "used already, or its connection has ended",
    ]);
  });

  it("is refused, but not held against its connection, until the refresh token is there", async () => {
    const { id, adapter } = await keep("AuthorizationCode");
    await adapter.consume(id);
    expect(await refusalOf(adapter.find(id))).toEqual(["invalid_grant", "is being used"]);
    await keep("RefreshToken");
    expect(await adapter.find(id)).toEqual({ grantId, jti: id, consumed: true, exp: (await storedOf(id))?.exp });
  });

  it("is another matter than another used token, which needs no refresh token beside it", async () => {
    const { id, adapter } = await keep("AccessToken");
    await adapter.consume(id);
    expect(await adapter.find(id)).toMatchObject({ consumed: true });
  });
});

describe("a refresh token that was used", () => {
  it("may be used again for half a minute, and counts as used afterwards", async () => {
    const { id, adapter } = await keep("RefreshToken");
    await adapter.consume(id);
    await adapter.consume(id);
    expect(await adapter.find(id)).toEqual({ grantId, jti: id, exp: 1 });
    await ageUse(id, 31);
    expect(await adapter.find(id)).toEqual({ grantId, jti: id, consumed: true, exp: (await storedOf(id))?.exp });
  });

  it("is refused when it is gone", async () => {
    const refused = ["invalid_grant", "used already, or its connection has ended"];
    expect(await refusalOf(adapterOf("RefreshToken").consume(newId()))).toEqual(refused);
  });
});
