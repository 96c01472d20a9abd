import { createHash } from "node:crypto";
import type { Role } from "../identity/wire.ts";
import type { Database } from "../storage/database.ts";

/** The only form in which a token, code, ticket or id of a request reaches the database. */
export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

type NewToken = {
  model: string;
  id: string;
  connectionId: string | null;
  scopes: string[];
  payload: object;
  expiresInSeconds: number;
};

// It cannot stand in JSON as it is, so it stands for the id and for nothing else.
const idMark = "\u0001";

const insert = {
  name: "oauth_token_insert",
  text: `INSERT INTO oauth_token (model, id_sha256, connection_id, scopes, payload, expires_at)
         VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6)) ON CONFLICT DO NOTHING`,
};

const valuesOf = ({ model, id, connectionId, scopes, payload, expiresInSeconds }: NewToken) => [
  model,
  sha256(id),
  connectionId,
  scopes,
  JSON.stringify(payload).replaceAll(id, idMark),
  expiresInSeconds,
];

/** A token that is there already stays as it is: only a refresh that is repeated makes the same one again. */
export const insertToken = (db: Database, token: NewToken) => db.prepared(insert, valuesOf(token));

const replace = {
  name: "oauth_token_replace",
  text: `${insert.text.replace("DO NOTHING", "(model, id_sha256) DO UPDATE")} SET payload = excluded.payload, expires_at = least(oauth_token.expires_at, excluded.expires_at)`,
};

export const replaceToken = (db: Database, token: NewToken) => db.prepared(replace, valuesOf(token));

export type StoredToken = {
  payload: Record<string, unknown>;
  consumedForSeconds: number | null;
  /** Whether its connection has a refresh token, which is the last thing that is made from a code. */
  hasRefreshToken: boolean;
  expiresAt: Date;
};

const find = {
  name: "oauth_token_find",
  text: `SELECT payload, extract(epoch FROM now() - consumed_at)::float8 AS "consumedForSeconds", expires_at AS "expiresAt",
           consumed_at IS NOT NULL AND EXISTS (
             SELECT 1 FROM oauth_token other WHERE other.connection_id = token.connection_id AND other.model = 'RefreshToken'
           ) AS "hasRefreshToken"
         FROM oauth_token token WHERE model = $1 AND id_sha256 = $2 AND expires_at > now()`,
};

/** Not those that have ended by the clock of the database, whatever the library says about the time. */
export async function findToken(db: Database, model: string, id: string): Promise<StoredToken | undefined> {
  const [row] = await db.prepared<Omit<StoredToken, "payload"> & { payload: string }>(find, [model, sha256(id)]);
  return row && { ...row, payload: JSON.parse(row.payload.replaceAll(idMark, id)) as StoredToken["payload"] };
}

const consumeCode = {
  name: "oauth_code_consume",
  text: `UPDATE oauth_token SET consumed_at = now(), expires_at = now() + make_interval(secs => $3)
         WHERE model = $1 AND id_sha256 = $2 AND consumed_at IS NULL RETURNING 1`,
};

/** False when somebody else was first. The row stays for a while, so that a later use is noticed. */
export const consumeOnce = async (db: Database, model: string, id: string, keptSeconds: number): Promise<boolean> =>
  (await db.prepared(consumeCode, [model, sha256(id), keptSeconds])).length > 0;

const consumeRefresh = {
  name: "oauth_refresh_consume",
  text: `UPDATE oauth_token SET consumed_at = coalesce(consumed_at, now()), expires_at = least(expires_at, now() + make_interval(secs => $3))
         WHERE model = $1 AND id_sha256 = $2 RETURNING 1`,
};

/** The first use counts, however often it is repeated; false when the token is gone. */
export const consumeRepeatably = async (
  db: Database,
  model: string,
  id: string,
  keptSeconds: number,
): Promise<boolean> => (await db.prepared(consumeRefresh, [model, sha256(id), keptSeconds])).length > 0;

const remove = { name: "oauth_token_delete", text: "DELETE FROM oauth_token WHERE model = $1 AND id_sha256 = $2" };

export const deleteToken = (db: Database, model: string, id: string) => db.prepared(remove, [model, sha256(id)]);

export type VerifiedToken = {
  connectionId: string;
  organizationId: string;
  serverId: string;
  userId: string;
  userName: string;
  role: Role;
  clientId: string;
  clientName: string;
  /** Separated by spaces: the driver reads texts much faster than lists, and this is read for every request. */
  scope: string;
  /** Credential type → credential id: the one chosen for the connection, else those of the organization; null when there are none. */
  defaultCredentials: Record<string, string> | null;
};

const verify = {
  name: "oauth_token_verify",
  // Tokens of one organization come many at a time, so its default accounts are gathered once for all of them.
  text: `WITH found AS MATERIALIZED (
           SELECT token.id_sha256 AS hash, array_to_string(token.scopes, ' ') AS scope, connection.id AS "connectionId", connection.organization_id AS "organizationId",
             connection.server_id AS "serverId", connection.user_id AS "userId", app_user.name AS "userName", member.role,
             connection.client_id AS "clientId", connection.client_name AS "clientName", connection.credential_type, connection.credential_id
           FROM oauth_token token
           JOIN oauth_connection connection ON connection.id = token.connection_id
           JOIN member ON member.organization_id = connection.organization_id AND member.user_id = connection.user_id
           JOIN app_user ON app_user.id = connection.user_id
           WHERE token.model = 'AccessToken' AND token.id_sha256 = ANY($1::bytea[])
             AND token.expires_at > now() AND connection.expires_at > now()
         ), usual AS (
           SELECT organization_id, jsonb_object_agg(credential_type, credential_id) AS credentials FROM default_credential
           WHERE api_key_id IS NULL AND organization_id IN (SELECT "organizationId" FROM found) GROUP BY organization_id
         )
         SELECT hash, scope, "connectionId", "organizationId", "serverId", "userId", "userName", role, "clientId", "clientName",
           CASE WHEN found.credential_type IS NOT NULL THEN jsonb_build_object(found.credential_type, found.credential_id)
           ELSE usual.credentials END AS "defaultCredentials"
         FROM found LEFT JOIN usual ON usual.organization_id = found."organizationId"`,
};

/** In the order of the hashes; undefined where there is no such token, or it has ended. */
export async function findAccessTokens(db: Database, hashes: Buffer[]): Promise<(VerifiedToken | undefined)[]> {
  const rows = await db.prepared<VerifiedToken & { hash: Buffer }>(verify, [hashes]);
  const byHash = new Map(rows.map((row) => [row.hash.toString("latin1"), row]));
  return hashes.map((hash) => byHash.get(hash.toString("latin1")));
}
