import { describe, expect, it } from "vitest";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import {
  changeOf,
  faultsOfData,
  fieldsOf,
  keepSecrets,
  readSchema,
  removableSecrets,
  visibleValues,
} from "./credential-fields.ts";

const secret = { type: "string", writeOnly: true };
const text = { type: "string" };
const byToken = {
  kind: "bearer",
  title: "Access token",
  isOAuth2: false,
  scopes: [],
  knownScopes: [],
  schema: { properties: { accessToken: secret, site: text, webhookSecret: secret }, required: ["accessToken"] },
};
const byOAuth = {
  kind: "oauth2",
  title: "OAuth 2",
  isOAuth2: true,
  scopes: ["read"],
  knownScopes: [],
  schema: {
    properties: {
      clientId: text,
      clientSecret: secret,
      authorizeUrl: text,
      tokenUrl: text,
      accessToken: secret,
      expiresAt: text,
    },
  },
};
const type: CredentialTypeEntry = {
  type: "fake",
  title: "Fake",
  provider: { id: "fake", title: "Fake" },
  takesBaseUrl: true,
  canBeTested: true,
  variants: [byToken, byOAuth],
};
const namesOf = (schema: Record<string, unknown> | null) => Object.keys(readSchema(schema ?? {}).properties);

describe("the fields of a credential", () => {
  it("ask for the token where one is typed in, and for the client where it comes from the provider", () => {
    const [token, oauth] = [fieldsOf(type, byToken), fieldsOf(type, byOAuth)];
    expect([namesOf(token.main), namesOf(token.advanced)]).toEqual([
      ["accessToken", "site", "webhookSecret"],
      ["baseUrl"],
    ]);
    expect([namesOf(oauth.main), namesOf(oauth.advanced)]).toEqual([
      ["clientId", "clientSecret"],
      ["authorizeUrl", "tokenUrl", "baseUrl"],
    ]);
    expect(fieldsOf({ ...type, takesBaseUrl: false }, byToken).advanced).toBe(null);
  });

  it("do not require a secret again that is set", () => {
    const { properties, required } = readSchema(keepSecrets(byToken.schema, { accessToken: "••••••••" }));
    expect(required).toEqual([]);
    expect(properties.accessToken?.description).toContain("keep");
    expect(properties.webhookSecret).toEqual(secret);
  });

  it("let go of a secret that is set and not required", () => {
    expect(removableSecrets(byToken, { accessToken: "••••••••", webhookSecret: "••••••••" })).toEqual([
      { name: "webhookSecret", label: "Webhook secret" },
    ]);
    expect(removableSecrets(byOAuth, { accessToken: "••••••••", clientSecret: "••••••••" })).toEqual([
      { name: "clientSecret", label: "Client secret" },
    ]);
  });

  it("show no secret, not even its mask", () => {
    expect(
      visibleValues(byToken, { kind: "bearer", accessToken: "••••••••", site: "acme", baseUrl: "https://x" }),
    ).toEqual({
      site: "acme",
      baseUrl: "https://x",
    });
  });
});

describe("a change of a credential", () => {
  const stored = { kind: "bearer", accessToken: "••••••••", site: "acme" };

  it("mentions only what is different, and empties what was emptied", () => {
    expect(changeOf(byToken, stored, { site: "acme" })).toEqual({});
    expect(changeOf(byToken, stored, { site: "other", webhookSecret: "w" })).toEqual({
      site: "other",
      webhookSecret: "w",
    });
    expect(changeOf(byToken, stored, {})).toEqual({ site: null });
    expect(changeOf(byToken, stored, { site: "acme", accessToken: "" })).toEqual({});
  });

  it("gives up what was granted when the client or an address becomes another", () => {
    const connected = {
      kind: "oauth2",
      clientId: "a",
      clientSecret: "••••••••",
      accessToken: "••••••••",
      expiresAt: "2026-01-01",
    };
    const gone = { accessToken: null, refreshToken: null, expiresAt: null, grantedScopes: null };
    expect(changeOf(byOAuth, connected, { clientId: "a" })).toEqual({});
    expect(changeOf(byOAuth, connected, { clientId: "b" })).toEqual({ clientId: "b", ...gone });
    expect(changeOf(byOAuth, connected, { clientId: "a", tokenUrl: "https://x/token" })).toEqual({
      tokenUrl: "https://x/token",
      ...gone,
    });
  });
});

describe("faults", () => {
  it("of the data are those of the form's fields", () => {
    expect(
      faultsOfData([
        { pointer: "/name", detail: "a" },
        { pointer: "/data/site", detail: "b" },
      ]),
    ).toEqual([{ pointer: "/site", detail: "b" }]);
  });
});
