import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { SafeFetch } from "../base/safe-fetch.ts";
import type { Database } from "../storage/database.ts";
import { createCheckReferences } from "./check-references.ts";
import { createConnect } from "./connect.ts";
import { createContents } from "./contents.ts";
import type { CredentialType } from "./credential-data.ts";
import { createCredentials } from "./credentials.ts";
import { createDefaultCredentials } from "./default-credentials.ts";
import { createHealth, type StartCall } from "./health.ts";
import type { KeyRingSource } from "./key-ring.ts";
import { createMasterKey } from "./master-key.ts";
import { type CheckedCredential, createOpenCredential } from "./open-credential.ts";
import { createRefresh } from "./refresh.ts";
import type { OAuthClients } from "./request-tokens.ts";
import { createSeal } from "./seal.ts";
import { createSecretFingerprints } from "./secret-fingerprints.ts";

export type Vault = ReturnType<typeof createVault>;

type Options = {
  db: Database;
  clock: Clock;
  log: Log;
  keyRing: KeyRingSource;
  credentialTypes: ReadonlyMap<string, CredentialType>;
  fetch: SafeFetch;
  /** Builds what a credential's own functions are called with. */
  startCall: StartCall;
  oauthClients: OAuthClients;
  platformBaseUrl: string;
  mayManage: (organizationId: string, userId: string) => Promise<boolean>;
};

/** The connected accounts of organizations, sealed. */
export function createVault({ db, clock, log, keyRing, credentialTypes, startCall, mayManage, ...outside }: Options) {
  const seal = createSeal(keyRing.read);
  const fingerprints = createSecretFingerprints({ db, log, seal, credentialTypes });
  const contents = createContents({ seal, fingerprints });
  const credentials = createCredentials({ db, clock, contents, credentialTypes });
  const refresh = createRefresh({ db, clock, contents, credentialTypes, ...outside });
  const open = createOpenCredential({ db, clock, contents, refresh, ...outside });
  const check = createCheckReferences({ db, clock, credentialTypes, ...outside });
  return {
    credentials,
    defaults: createDefaultCredentials({ db, check, credentials }),
    /** Owner, then type, of every reference of a call; opens nothing. */
    check,
    open,
    /** Without asking the provider for anything: for secrets that deliveries are checked with. */
    readStored: ({ row }: Pick<CheckedCredential, "row">) => contents.open(row),
    health: createHealth({ db, clock, log, open, startCall, ...outside }),
    connect: createConnect({ db, clock, seal, contents, credentials, startCall, mayManage, ...outside }),
    masterKey: createMasterKey({ db, seal, keyRing, fillFingerprints: fingerprints.upkeep.run }),
    /** Finds what is stored here in texts, without opening anything. */
    findSecretsOf: fingerprints.findSecretsOf,
    fingerprintUpkeep: fingerprints.upkeep,
    /** For secrets of other features; the id of what they belong to stands for the credential's. */
    seal,
  };
}
