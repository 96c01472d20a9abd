import { createHash, randomBytes } from "node:crypto";
import { Refusal } from "../base/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { Seal } from "./seal.ts";
import { deleteExpiredStates, insertState, type Place, takeState, vaultTables } from "./store.ts";

export type Person = { userId: string; sessionId: string };

type Options = { db: Database; seal: Seal };

const limitSeconds = 10 * 60;

/** Remembers which browser session is on the way to which provider, by the hash of a state that only that browser knows. */
export function createBegunConnections({ db, seal }: Options) {
  const tables = vaultTables(db);

  return {
    async begin(
      { organizationId, credentialId }: Place,
      { userId, sessionId }: Person,
    ): Promise<{ state: string; verifier: string }> {
      const [state, verifier] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
      const hash = sha256(state);
      await deleteExpiredStates(tables);
      const row = {
        state_hash: hash,
        organization_id: organizationId,
        credential_id: credentialId,
        user_id: userId,
        session_id: sessionId,
        code_verifier_sealed: seal.seal(verifier, { organizationId, credentialId: hash.toString("hex") }),
      };
      await insertState(tables, row, limitSeconds);
      return { state, verifier };
    },

    /** Ends it, so that it cannot be taken twice. */
    async take(
      state: string,
      { userId, sessionId }: Person,
    ): Promise<{ place: Place; isExpired: boolean; verifier: string }> {
      const hash = sha256(state);
      const row = await takeState(tables, { hash, userId, sessionId });
      if (!row)
        throw new Refusal(
          "oauth_state_invalid",
          "This browser did not begin this connection, or it was used already. Start connecting again.",
        );
      const { organization_id: organizationId, credential_id: credentialId } = row;
      const verifier = seal.open(row.code_verifier_sealed, { organizationId, credentialId: hash.toString("hex") });
      return { place: { organizationId, credentialId }, isExpired: row.is_expired, verifier };
    },
  };
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
