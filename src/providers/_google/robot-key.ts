import { createPrivateKey, createSign } from "node:crypto";
import { z } from "zod";
import { createScrub } from "../../base/scrub.ts";
import { splitScopes } from "../../base/split-scopes.ts";
import type { CredentialData, Variant } from "../../contract/credential.ts";
import { providerFailure } from "../../contract/http.ts";
import { numberAt, textAt } from "../../contract/read.ts";

type Key = { email: string; privateKey: string; keyId: string | undefined; tokenUrl: string };

const tokenLimitMs = 10_000;
const lifetimeSeconds = 3600;

const notAKey = "must be the JSON key of a service account, as Google gave it";

const fields = z.strictObject({
  serviceAccountKey: z
    .string()
    .max(10_000)
    .regex(/"private_key"\s*:/, notAKey)
    .refine((text) => readKey(text) !== undefined, notAKey)
    .meta({
      secret: true,
      format: "password",
      title: "JSON key",
      description: "The whole content of the key file of the service account.",
    }),
  subject: z
    .email()
    .optional()
    .describe(
      "Whom it acts for, where an administrator of the Workspace lets it. Gmail needs it; files and calendars can be shared with it instead.",
    ),
  furtherScopes: z
    .string()
    .max(4000)
    .optional()
    .describe("Scopes to ask for beside the usual ones, separated by spaces."),
});

/** A way in without a person: Google gives tokens to whoever signs for them with the key of a service account. */
export const withGoogleServiceAccount = (scopes: string[]) =>
  ({
    title: "Service account",
    fields,
    authorize: ({ accessToken }: CredentialData) => ({ headers: { authorization: `Bearer ${String(accessToken)}` } }),
    async mintToken(data, { fetch, clock, signal }) {
      const key = readKey(String(data.serviceAccountKey));
      if (!key)
        throw providerFailure("Google", { status: 401, message: "the JSON key of the service account cannot be read" });
      const asked = [...scopes, ...splitScopes(data.furtherScopes)];
      const nowSeconds = Math.floor(clock.now().getTime() / 1000);
      const assertion = sign(key, {
        iss: key.email,
        aud: key.tokenUrl,
        scope: [...new Set(asked)].join(" "),
        iat: nowSeconds,
        exp: nowSeconds + lifetimeSeconds,
        ...(typeof data.subject === "string" ? { sub: data.subject } : {}),
      });
      const response = await fetch(key.tokenUrl, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
        body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }).toString(),
        timeoutMs: tokenLimitMs,
        signal,
      });
      const answer: unknown = await response.json().catch(() => undefined);
      const accessToken = textAt(answer, "access_token");
      if (response.ok && accessToken)
        return { accessToken, expiresInSeconds: numberAt(answer, "expires_in") ?? lifetimeSeconds };
      throw refuse(response.status, answer, assertion);
    },
  }) satisfies Omit<Variant, "kind">;

const refusedKeys = new Set(["invalid_grant", "unauthorized_client", "invalid_client", "access_denied"]);

function refuse(status: number, answer: unknown, assertion: string) {
  const scrub = createScrub([assertion]);
  const code = textAt(answer, "error");
  const message = scrub.text(textAt(answer, "error_description") ?? "no token was given").slice(0, 300);
  return providerFailure("Google", { status, code, message, isUnauthorized: refusedKeys.has(code ?? "") });
}

function sign({ privateKey, keyId }: Key, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "RS256", typ: "JWT", ...(keyId ? { kid: keyId } : {}) })}.${encode(claims)}`;
  return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`;
}

/** What is signed is worth a token to whoever reads it on its way. */
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname));

function readKey(text: string): Key | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const [email, privateKey] = [textAt(json, "client_email"), textAt(json, "private_key")];
    const tokenUrl = textAt(json, "token_uri") ?? "https://oauth2.googleapis.com/token";
    const isKey = email && privateKey && textAt(json, "type") === "service_account" && isSafe(new URL(tokenUrl));
    if (!isKey || createPrivateKey(privateKey).asymmetricKeyType !== "rsa") return undefined;
    return { email, privateKey, keyId: textAt(json, "private_key_id"), tokenUrl };
  } catch {
    return undefined;
  }
}
