import type { Clock } from "../base/clock.ts";
import type { CredentialData } from "../contract/credential.ts";
import { describeMissing } from "./contents.ts";
import { type CredentialType, findMissing } from "./credential-data.ts";
import { healthOf } from "./health.ts";
import { toReference } from "./reference.ts";
import type { CredentialRow } from "./store.ts";
import type { Credential, CredentialSummary } from "./wire.ts";

export type CredentialView = ReturnType<typeof createCredentialView>;

type Summarized = Pick<CredentialRow, "id" | "name" | "type" | "kind" | "public_data"> & Parameters<typeof healthOf>[0];

type Options = { clock: Clock; credentialTypes: ReadonlyMap<string, CredentialType> };

/** How credentials are shown, without opening any. */
export function createCredentialView({ clock, credentialTypes }: Options) {
  /** Said before anybody uses it: one that was saved when less was asked for shows that it no longer works. */
  function faultOf(row: Summarized): string | undefined {
    const variant = credentialTypes.get(row.type)?.definition.variants.find(({ kind }) => kind === row.kind);
    const missing = variant?.findMissing ? findMissing(variant, JSON.parse(row.public_data) as CredentialData) : [];
    return missing.length === 0 ? undefined : `It cannot be used: ${describeMissing(missing)}.`;
  }

  function toSummary(row: Summarized): CredentialSummary {
    const { id, name, type } = row;
    const isComplete = faultOf(row) === undefined;
    return {
      id,
      reference: toReference(id),
      name,
      type,
      health: isComplete ? healthOf(row, clock.now()) : "failing",
      isComplete,
    };
  }

  return {
    toSummary,
    toWire: (row: CredentialRow): Credential => ({
      ...toSummary(row),
      kind: row.kind,
      data: JSON.parse(row.public_data) as CredentialData,
      createdAt: row.created_at.toISOString(),
      updatedAt: row.updated_at.toISOString(),
      tokenExpiresAt: row.token_expires_at?.toISOString() ?? null,
      lastOkAt: row.last_ok_at?.toISOString() ?? null,
      lastError: faultOf(row) ?? row.last_error,
      lastErrorAt: row.last_error_at?.toISOString() ?? null,
      refreshFailure: refreshFailureOf(row),
    }),
  };
}

function refreshFailureOf({
  health,
  refresh_failing_since,
  refresh_paused_until,
  refresh_error,
}: CredentialRow): Credential["refreshFailure"] {
  if (health === "needs_reconnect" || !refresh_failing_since || !refresh_paused_until) return null;
  return {
    since: refresh_failing_since.toISOString(),
    reason: refresh_error ?? "",
    nextTryAt: refresh_paused_until.toISOString(),
  };
}
