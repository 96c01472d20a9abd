import type { Credential, CredentialData } from "./credential.ts";

/** The credential's own address wins over the provider's. */
export function baseUrlOf({ baseUrl }: Pick<Credential, "baseUrl">, data: CredentialData): string {
  if (typeof data.baseUrl === "string") return data.baseUrl;
  return typeof baseUrl === "function" ? baseUrl(data) : (baseUrl ?? "");
}

/** Every origin the secret may be sent to: of an account with an address of its own that one alone. */
export function originsOf(definition: Pick<Credential, "baseUrl" | "origins">, data: CredentialData): string[] {
  const own = URL.parse(baseUrlOf(definition, data))?.origin;
  if (own === undefined) return [];
  return typeof data.baseUrl === "string" ? [own] : [own, ...definition.origins];
}
