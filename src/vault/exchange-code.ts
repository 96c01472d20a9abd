import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import { runUnderLimit } from "../base/run-under-limit.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import { createScrub } from "../base/scrub.ts";
import type { CredentialData, OAuth2, Variant } from "../contract/credential.ts";
import type { Database } from "../storage/database.ts";
import { type Contents, leaseAfter, placeOf } from "./contents.ts";
import { chooseVariant, secretValuesOf } from "./credential-data.ts";
import type { Credentials } from "./credentials.ts";
import { answerWithin, type StartCall } from "./health.ts";
import type { CheckedCredential } from "./open-credential.ts";
import { clientOf, type OAuthClients, requestTokens } from "./request-tokens.ts";
import { withTokens } from "./saved-tokens.ts";
import { replaceContent, vaultTables } from "./store.ts";

type Options = {
  db: Database;
  clock: Clock;
  contents: Contents;
  credentials: Credentials;
  fetch: SafeFetch;
  startCall: StartCall;
  oauthClients: OAuthClients;
};

type Granted = { code: string; verifier: string; redirectUri: string };

const completeLimitMs = 15_000;
const savingAttempts = 5;

/** Turns the code a browser brought back into stored tokens. */
export function createExchangeCode({ db, clock, contents, credentials, fetch, startCall, oauthClients }: Options) {
  const tables = vaultTables(db);

  /** Saves right away what cannot be had a second time; somebody else's change in between is kept. */
  async function save(
    { definition, row }: CheckedCredential,
    change: (stored: CredentialData) => CredentialData,
  ): Promise<CredentialData> {
    for (let attempt = 0; attempt < savingAttempts; attempt++) {
      const current = await credentials.find(placeOf(row));
      const stored = contents.open(current);
      const data = change(stored);
      const content = contents.toRow(placeOf(row), chooseVariant(definition, data.kind), data);
      const note = {
        health: "ok" as const,
        last_ok_at: clock.now(),
        last_error: null,
        last_error_at: null,
        ...leaseAfter(stored, data),
      };
      if (await replaceContent(tables, placeOf(row), current.version, { ...content, ...note })) return data;
    }
    throw new Refusal("conflict", "Somebody else is changing this credential. Try again.");
  }

  async function complete({ definition, row }: CheckedCredential, oauth2: OAuth2, data: CredentialData): Promise<void> {
    try {
      const further = await runUnderLimit(
        answerWithin(completeLimitMs),
        async (signal) => await oauth2.complete?.(startCall({ definition, data: () => data }, signal)),
      );
      if (further) await save({ definition, row }, (stored) => ({ ...stored, ...further }));
    } catch (error) {
      throw withoutSecrets(error, chooseVariant(definition, data.kind), data);
    }
  }

  return async (checked: CheckedCredential, { code, verifier, redirectUri }: Granted): Promise<void> => {
    const { data, oauth2 } = openOAuth(checked, contents);
    const tokens = await requestTokens({
      fetch,
      oauth2,
      provider: checked.definition.title,
      data,
      client: clientOf(checked.row.type, oauth2, data, oauthClients),
      parameters: {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        ...(oauth2.pkce ? { code_verifier: verifier } : {}),
      },
    });
    // A new connection may be another account's, so nothing of the old tokens is kept.
    const saved = await save(checked, ({ accessToken: _, refreshToken: __, grantedScopes: ___, ...rest }) =>
      withTokens(rest, tokens, clock.now()),
    );
    await complete(checked, oauth2, saved);
  };
}

export function openOAuth(
  { definition, row }: CheckedCredential,
  contents: Contents,
): { data: CredentialData; oauth2: OAuth2 } {
  const data = contents.open(row);
  const { oauth2 } = chooseVariant(definition, data.kind);
  if (!oauth2)
    throw new Refusal("validation_failed", "This credential is not of a kind that is connected at the provider.");
  return { data, oauth2 };
}

function withoutSecrets(error: unknown, variant: Variant, data: CredentialData): unknown {
  if (!(error instanceof Refusal)) return new Refusal("provider_error", "The provider's answer could not be read.");
  return new Refusal(error.code, createScrub(secretValuesOf(variant, data)).text(error.message));
}
