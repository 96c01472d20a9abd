import { createBatch } from "../base/batch.ts";
import { createLastUse } from "../base/last-use.ts";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import { isDatabaseUnavailable } from "../storage/database-errors.ts";
import { allowedByRole } from "./resources.ts";
import { oauthTables, touchConnections } from "./store.ts";
import { findAccessTokens, sha256, type VerifiedToken } from "./token-store.ts";
import type { OAuthScope } from "./wire.ts";

export type VerifyAccessToken = ReturnType<typeof createVerifyAccessToken>["verify"];

/** Asks the database every time, with one statement: whatever ended a connection ends it for the very next request of any process. */
export function createVerifyAccessToken({ db, log }: { db: Database; log: Log }) {
  const tables = oauthTables(db);
  const lastUse = createLastUse({ log, what: "connections", write: (ids) => touchConnections(tables, ids) });
  // Requests that come in while a look-up is under way share the next one, which begins after all of them did.
  const lookUps = createBatch({
    maxItems: 100,
    gatherMs: db.gatherMs,
    isFatal: isDatabaseUnavailable,
    flush: (hashes: Buffer[]) => findAccessTokens(db, hashes),
  });

  return {
    async verify(text: string, serverId: string): Promise<VerifiedToken & { scopes: OAuthScope[] }> {
      const token = tokenForm.test(text) ? await lookUps.add(sha256(text)) : undefined;
      if (token?.serverId !== serverId)
        throw new Refusal("access_token_invalid", "This access token is not valid here.");
      lastUse.note(token.connectionId);
      return Object.assign(token, { scopes: allowedByRole(token.role, token.scope.split(" ") as OAuthScope[]) });
    },
    close: () => lastUse.flush(),
  };
}

/** 256 random bits. Anything else is nobody's token, and no reason to ask the database. */
const tokenForm = /^[A-Za-z0-9_-]{43}$/;
