import { z } from "zod";
import { defineCredential, secret, withFields, withOAuth2 } from "../../../src/contract/credential.ts";
import { textAt } from "../../../src/contract/read.ts";
import type { CredentialType } from "../../../src/vault/credential-data.ts";

const check = async ({ http }: Parameters<NonNullable<CredentialType["definition"]["check"]>>[0]) =>
  void (await http.json({ path: "/me" }));

/** Several variants, one of them connected at the provider; reads its site after connecting. */
const fakeOAuth = defineCredential({
  type: "fake_oauth",
  title: "Fake",
  baseUrl: "https://api.fake.invalid",
  variants: {
    bearer: withFields("Token", { accessToken: secret(), note: z.string().optional() }, ({ accessToken }) => ({
      headers: { authorization: `Bearer ${accessToken}` },
    })),
    oauth2: withOAuth2({
      authorizeUrl: "https://login.fake.invalid/{tenant}/authorize",
      tokenUrl: "https://login.fake.invalid/{tenant}/token",
      scopes: ["read", "write"],
      scopeSeparator: ",",
      authorizeParams: { prompt: "consent" },
      pkce: true,
      fields: { tenant: z.string().min(1).default("common"), account: z.string().optional() },
      complete: async ({ http }) => ({ account: textAt(await http.json({ path: "/me" }), "account") }),
    }),
  },
  check,
});

/** One variant, without PKCE, that speaks JSON and Basic with the token endpoint. */
const fakeJson = defineCredential({
  type: "fake_json",
  title: "Fake JSON",
  baseUrl: "https://api.fake.invalid",
  variants: {
    oauth2: withOAuth2({
      authorizeUrl: "https://login.fake.invalid/authorize",
      tokenUrl: "https://login.fake.invalid/token",
      scopes: [],
      clientAuth: "basic",
      tokenBody: "json",
      tokenHeaders: { "X-Version": "7" },
    }),
  },
  check,
});

const fakeBasic = defineCredential({
  type: "fake_basic",
  title: "Fake Basic",
  baseUrl: ({ place }) => `https://${String(place)}.fake.invalid`,
  variants: {
    basic: withFields("Login", { place: z.string(), user: z.string(), password: secret() }, ({ user, password }) => ({
      headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` },
    })),
  },
  check,
});

const fakeLogin = defineCredential({
  type: "fake_login",
  title: "Fake Login",
  baseUrl: null,
  variants: {
    custom: withFields("Login", {
      host: z.string().min(1),
      port: z.int().default(5432),
      user: z.string().min(1),
      password: secret().optional(),
    }),
  },
  check: null,
});

export const fakeCredentialTypes: ReadonlyMap<string, CredentialType> = new Map(
  [fakeOAuth, fakeJson, fakeBasic, fakeLogin].map((definition) => [
    definition.type,
    { definition, provider: { id: definition.type, title: definition.title } },
  ]),
);
