import type { Log } from "../base/log.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { Organizations } from "../identity/organizations.ts";
import type { Database } from "../storage/database.ts";
import type { Vault } from "../vault/vault.ts";
import type { ResourceServer } from "./resources.ts";

type OAuthSettings = {
  issuerUrl: string;
  resourceUrl: string;
  consentUrlTemplate: string;
  accessTokenLifetimeMs: number;
  tokenLimitPerMinute: number;
  registrationLimitPerHour: number;
};

export type OAuthOptions = OAuthSettings & {
  db: Database;
  log: Log;
  fetch: SafeFetch;
  organizations: Organizations;
  vault: Pick<Vault, "credentials" | "defaults" | "check">;
  servers: ResourceServer[];
  cookieKey: Buffer;
  previousCookieKeys: Buffer[];
};
