import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from "oidc-provider";
import type { Database } from "../storage/database.ts";
import { hashSecret } from "./client-secret.ts";
import { lifetimes } from "./lifetimes.ts";
import { endConnection, findClient, findConnection, oauthTables, saveClient } from "./store.ts";
import {
  consumeOnce,
  consumeRepeatably,
  deleteToken,
  findToken,
  insertToken,
  replaceToken,
  type StoredToken,
} from "./token-store.ts";

/** Where the library keeps its things. */
export function createAdapter(db: Database): AdapterFactory {
  return (model) => {
    if (model === "Client") return clientAdapter(db);
    if (model === "Grant") return grantAdapter(db);
    if (model === "Session") return nothing;
    return tokenAdapter(db, model);
  };
}

const notUsed = async (): Promise<void> => {};

/** The library's own sign-in session is never kept: who the user is comes from the decision, every time. */
const nothing: Adapter = {
  upsert: notUsed,
  find: notUsed,
  findByUid: notUsed,
  findByUserCode: notUsed,
  consume: notUsed,
  destroy: notUsed,
  revokeByGrantId: notUsed,
};

const clientAdapter = (db: Database): Adapter => ({
  ...nothing,
  async upsert(id, { client_secret: secret, ...metadata }) {
    const stored = typeof secret === "string" ? { ...metadata, client_secret: hashSecret(secret) } : metadata;
    await saveClient(oauthTables(db), { id, kind: "registered", metadata: JSON.stringify(stored) });
  },
  async find(id) {
    const client = await findClient(db, id);
    return client?.kind === "registered" ? (JSON.parse(client.metadata) as AdapterPayload) : undefined;
  },
});

/** A grant is a connection under another name. The consent makes it; the library only reads and ends it. */
const grantAdapter = (db: Database): Adapter => ({
  ...nothing,
  async find(id) {
    const connection = await findConnection(db, id);
    if (!connection) return undefined;
    return {
      kind: "Grant",
      jti: id,
      iat: toEpoch(connection.created_at),
      exp: toEpoch(connection.expires_at),
      accountId: connection.user_id,
      clientId: connection.client_id,
      resources: { [connection.resource]: connection.scopes.join(" ") },
    };
  },
  async destroy(id) {
    await endConnection(oauthTables(db), id);
  },
});

const tokenAdapter = (db: Database, model: string): Adapter => ({
  ...nothing,
  async upsert(id, payload, expiresInSeconds = 0) {
    const { grantId: connectionId = null, scope = "" } = payload;
    const scopes = scope.split(" ").filter((one) => one !== "");
    const token = { model, id, connectionId, scopes, payload, expiresInSeconds };
    await (model === "Interaction" ? replaceToken(db, token) : insertToken(db, token)).catch(
      (error: { code?: string }) => {
        throw error.code === foreignKeyViolation ? new errors.InvalidGrant("the connection has ended") : error;
      },
    );
  },
  async find(id) {
    const token = await findToken(db, model, id);
    return token && { ...token.payload, ...describeUse(model, token) };
  },
  async consume(id) {
    const consume = model === "RefreshToken" ? consumeRepeatably : consumeOnce;
    if (!(await consume(db, model, id, lifetimes.usedToken)))
      throw new errors.InvalidGrant("used already, or its connection has ended");
  },
  async destroy(id) {
    await deleteToken(db, model, id);
  },
  async revokeByGrantId(grantId) {
    await endConnection(oauthTables(db), grantId);
  },
});

const foreignKeyViolation = "23503";

/** What the library is told about an earlier use. What it takes for used it ends, together with the connection. */
function describeUse(model: string, token: StoredToken): Pick<AdapterPayload, "consumed" | "exp"> {
  const { consumedForSeconds, hasRefreshToken, expiresAt } = token;
  // Until then a repeated refresh gets the same successor.
  if (consumedForSeconds === null || (model === "RefreshToken" && consumedForSeconds <= lifetimes.refreshReplay))
    return {};
  // Somebody else is using the code just now. Ending the connection would take their tokens away before they have them.
  if (model === "AuthorizationCode" && !hasRefreshToken) throw new errors.InvalidGrant("is being used");
  // The library looks at the expiry first, and would then miss that somebody uses a token a second time.
  return { consumed: true, exp: toEpoch(expiresAt) };
}

const toEpoch = (date: Date): number => Math.floor(date.getTime() / 1000);
