import type { FastifyInstance } from "fastify";
import type { Ground } from "../ground/ground.ts";
import type { CredentialType } from "./credential-data.ts";
import type { StartCall } from "./health.ts";
import { createKeyRingSource } from "./key-ring.ts";
import type { Uses } from "./routes.ts";
import { createVault } from "./vault.ts";

type Needs = {
  credentialTypes: ReadonlyMap<string, CredentialType>;
  /** Builds what a credential's own functions are called with. */
  startCall: StartCall;
  /** Whether somebody is an admin, now. */
  mayManage: (organizationId: string, userId: string) => Promise<boolean>;
  requireApiKey: (organizationId: string, apiKeyId: string) => Promise<void>;
};

/** The connected accounts of organizations. Refuses to open with a master key that does not fit what is stored. */
export async function openVault(
  { db, clock, log, config, outside, isWorker }: Ground,
  { requireApiKey, ...needs }: Needs,
) {
  const { dataDir, masterKey, previousMasterKeys: previousKeys } = config;
  const vault = createVault({
    db,
    clock,
    log,
    ...needs,
    keyRing: createKeyRingSource({ dataDir, masterKey, previousKeys }),
    fetch: outside.fetch,
    oauthClients: config.oauthClients,
    platformBaseUrl: config.platform.baseUrl,
  });
  await vault.masterKey.verify();
  return {
    ...vault,

    /** `uses`: where an account is used, which the vault knows nothing of. */
    async register(server: FastifyInstance, uses: Uses): Promise<void> {
      const { registerVaultRoutes } = await import("./routes.ts");
      registerVaultRoutes(server, { vault, uses, requireApiKey });
    },

    start(): void {
      if (!isWorker) return;
      void vault.fingerprintUpkeep.run();
      vault.fingerprintUpkeep.start();
    },

    stop: () => vault.fingerprintUpkeep.stop(),
  };
}
