import { beforeAll, describe, expect, it } from "vitest";
import { Refusal } from "../../src/base/refusal.ts";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { loadProviders } from "../../src/catalog/load-providers.ts";
import type { Credential, CredentialData, Variant } from "../../src/contract/credential.ts";
import { readNewData, secretFieldsOf } from "../../src/vault/credential-data.ts";
import { fillInCredential } from "../support/vault/fill-in-credential.ts";

// Whose secret could be left out: databases without a password, what is only for incoming events, and what connecting brings.
const neededSecrets: Record<string, string[]> = {
  "airtable/bearer": ["accessToken"],
  "anthropic/apiKey": ["apiKey"],
  "deepl/apiKey": ["apiKey"],
  "discord_bot/apiKey": ["botToken"],
  "elevenlabs/apiKey": ["apiKey"],
  "email/custom": ["password"],
  "gemini/apiKey": ["apiKey"],
  "github/bearer": ["accessToken"],
  "http_auth/custom": ["secret"],
  "hubspot/bearer": ["accessToken"],
  "jira/basic": ["apiToken"],
  "linear/apiKey": ["apiKey"],
  "notion/bearer": ["accessToken"],
  "openai/bearer": ["apiKey"],
  "s3/custom": ["secretAccessKey"],
  "slack/bearer": ["accessToken"],
  "stripe/bearer": ["secretKey"],
  "telegram_bot/apiKey": ["botToken"],
  "twilio/basic": ["authToken"],
  "whatsapp/bearer": ["accessToken"],
  "gmail/serviceAccount": ["serviceAccountKey"],
  "google_calendar/serviceAccount": ["serviceAccountKey"],
  "google_docs/serviceAccount": ["serviceAccountKey"],
  "google_drive/serviceAccount": ["serviceAccountKey"],
  "google_sheets/serviceAccount": ["serviceAccountKey"],
};

type Kind = { name: string; definition: Credential; variant: Variant; filled: CredentialData };
let kinds: Kind[];

beforeAll(async () => {
  const { credentialTypes } = createCatalog(await loadProviders());
  expect(credentialTypes.size).toBe(29);
  kinds = [...credentialTypes.values()].flatMap(({ definition }) =>
    definition.variants.map((variant) => {
      const filled = fillInCredential(definition, variant, { url: "https://service.example.com", mark: "x" });
      // The strictest of its ways to send the secret.
      return {
        name: `${definition.type}/${variant.kind}`,
        definition,
        variant,
        filled: { ...filled, ...bearerOf(definition) },
      };
    }),
  );
});

const bearerOf = ({ type }: Credential) => (type === "http_auth" ? { authKind: "bearer" } : {});

const without = (data: CredentialData, name: string): CredentialData =>
  Object.fromEntries(Object.entries(data).filter(([field]) => field !== name));

/** The fields that are refused. */
function faultsOf(definition: Credential, data: CredentialData): string[] {
  try {
    readNewData(definition, data);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return (error.errors ?? []).map(({ pointer }) => pointer);
  }
}

describe("every type of credential", () => {
  it("is saved when everything is filled in", () => {
    for (const { name, definition, filled } of kinds) expect([name, faultsOf(definition, filled)]).toEqual([name, []]);
  });

  it("is refused with a secret that is empty or blank, also one that could be left out", () => {
    for (const { name, definition, variant, filled } of kinds)
      for (const field of secretFieldsOf(variant))
        for (const nothing of ["", " ", "\t\n"])
          expect([name, faultsOf(definition, { ...filled, [field]: nothing })]).toEqual([name, [`/data/${field}`]]);
  });

  it("is refused without the secrets it needs", () => {
    const found = kinds.map(({ name, definition, variant, filled }): [string, string[]] => [
      name,
      secretFieldsOf(variant).filter((field) =>
        faultsOf(definition, without(filled, field)).includes(`/data/${field}`),
      ),
    ]);
    expect(Object.fromEntries(found.filter(([, fields]) => fields.length > 0))).toEqual(neededSecrets);
  });

  it("that sends secrets over HTTP has an address of its provider or needs one of its own, so that no caller chooses it", () => {
    for (const { name, definition, variant, filled } of kinds) {
      if (variant.authorize === undefined || definition.baseUrl !== null) continue;
      expect([name, faultsOf(definition, without(filled, "baseUrl"))]).toEqual([name, ["/data/baseUrl"]]);
    }
  });
});
