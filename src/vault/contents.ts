import { type FieldFault, Refusal } from "../base/refusal.ts";
import type { CredentialData, Variant } from "../contract/credential.ts";
import { maskData } from "./credential-data.ts";
import type { RefreshPause } from "./refresh-store.ts";
import type { Seal } from "./seal.ts";
import type { SecretFingerprints } from "./secret-fingerprints.ts";
import { type Content, type CredentialRow, noLease, type Place, type StoredHealth } from "./store.ts";

export type Contents = ReturnType<typeof createContents>;

/** Between the data of a credential and its row. */
export function createContents({
  seal,
  fingerprints,
}: {
  seal: Seal;
  fingerprints: Pick<SecretFingerprints, "write">;
}) {
  return {
    toRow: (place: Place, variant: Variant, data: CredentialData): Content => ({
      kind: variant.kind,
      sealed: seal.seal(JSON.stringify(data), place),
      fingerprints: fingerprints.write(place.organizationId, variant, data),
      public_data: JSON.stringify(maskData(variant, data)),
      token_expires_at: typeof data.expiresAt === "string" ? new Date(data.expiresAt) : null,
      can_refresh: variant.oauth2 !== undefined && typeof data.refreshToken === "string",
    }),

    open: (row: CredentialRow): CredentialData => JSON.parse(seal.open(row.sealed, placeOf(row))) as CredentialData,
  };
}

export const placeOf = (row: Pick<CredentialRow, "id" | "organization_id">): Place => ({
  organizationId: row.organization_id,
  credentialId: row.id,
});

/** Before anything was tried: a connection without a token can only be connected. */
export const firstHealthOf = (variant: Variant, data: CredentialData): StoredHealth =>
  variant.oauth2 && data.accessToken === undefined ? "needs_reconnect" : "unknown";

/** Whoever is refreshing goes on alone, whatever else changes: a provider may take a refresh token that comes twice for a stolen one. */
export const leaseAfter = (before: CredentialData, after: CredentialData): Partial<typeof noLease> =>
  before.refreshToken === after.refreshToken ? {} : noLease;

export const notAccessible = () =>
  new Refusal("credential_not_accessible", "There is no such credential in this organization.");

type Named = Pick<CredentialRow, "id" | "organization_id" | "name">;

export const addressIn = (row: Named, platformBaseUrl: string) =>
  `${platformBaseUrl}/o/${row.organization_id}/credentials/${row.id}`;

export const needsReconnect = (row: Named, platformBaseUrl: string) =>
  new Refusal(
    "credential_needs_reconnect",
    `The credential "${row.name}" must be connected again: ${addressIn(row, platformBaseUrl)}`,
  );

/** Said instead of asking the provider again. */
export function refreshPaused(pause: RefreshPause, platformBaseUrl: string): Refusal {
  const seconds = Math.max(1, Math.ceil(pause.leftMs / 1000));
  const failing = `Refreshing the token of the credential "${pause.name}" has failed since ${toSecond(pause.since)}: ${pause.refresh_error}`;
  const next = `The next try is in ${seconds} s, at ${toSecond(pause.until)}.`;
  return new Refusal(
    "credential_refresh_paused",
    `${failing} ${next} Look at it, or connect it again: ${addressIn(pause, platformBaseUrl)}`,
    {
      headers: { "Retry-After": String(seconds) },
    },
  );
}

const toSecond = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

export const describeMissing = (missing: FieldFault[]): string =>
  missing.map(({ pointer, detail }) => `${pointer.replace("/data/", "")} ${detail}`).join("; ");

export const incomplete = (row: Named, missing: FieldFault[], platformBaseUrl: string) =>
  new Refusal(
    "credential_incomplete",
    `The credential "${row.name}" cannot be used: ${describeMissing(missing)}. Fill it in: ${addressIn(row, platformBaseUrl)}`,
  );

/** Room for a provider's words, which are cut at 1,000 characters, and for what to do behind them. */
const longestError = 2000;

/** A message that the database takes, whatever a provider put into it. */
export const toStorableError = (message: string): string =>
  message.replaceAll("\0", "\ufffd").toWellFormed().slice(0, longestError).toWellFormed();
