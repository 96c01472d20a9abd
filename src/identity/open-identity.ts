import { hkdfSync } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { isLoopbackName } from "../base/name-host.ts";
import type { Ground } from "../ground/ground.ts";
import type { AccountRouteOptions } from "./account-routes.ts";
import { createIdentity } from "./identity.ts";
import { rankOf } from "./organizations.ts";
import type { PasswordHashing } from "./password-hashing.ts";

type Needs = {
  /** Threads of its own unless given. */
  hashing?: PasswordHashing | undefined;
};

/** People, sessions, organizations and API keys. */
export function openIdentity({ db, log, config, cookieKey }: Ground, { hashing }: Needs) {
  const setupToken = isForThisMachineOnly(config) ? undefined : deriveSetupToken(cookieKey);
  const identity = createIdentity({
    db,
    log,
    cookieKey,
    setupToken,
    hashing,
    baseUrl: config.platform.baseUrl,
    mail: { smtpUrl: config.smtpUrl, from: config.mailFrom },
    organizationCreation: config.organizationCreation,
  });
  return {
    ...identity,
    setupToken,

    async mayManage(organizationId: string, userId: string): Promise<boolean> {
      const member = await identity.organizations.membership(organizationId, userId);
      return member !== undefined && rankOf(member.organization.role) >= rankOf("admin");
    },

    async register(
      server: FastifyInstance,
      { removeOrganization }: Pick<AccountRouteOptions, "removeOrganization">,
    ): Promise<void> {
      const { registerIdentityRoutes } = await import("./routes.ts");
      const { deploymentMode, signInLimitPerMinute, signInAddressLimitPerMinute } = config;
      const limits = { signInLimitPerMinute, signInAddressLimitPerMinute };
      registerIdentityRoutes(server, {
        identity,
        removeOrganization,
        isSignUpOpen: deploymentMode === "cloud",
        ...limits,
      });
    },
  };
}

/** A proxy of this machine brings strangers to a server that listens on loopback alone; its public address tells. */
const isForThisMachineOnly = ({ listenHost, platform }: Ground["config"]): boolean =>
  isLoopbackName(listenHost) && isLoopbackName(new URL(platform.baseUrl).hostname);

// The same in all processes, so that it does not matter which of them is asked.
const deriveSetupToken = (cookieKey: Buffer): string =>
  Buffer.from(hkdfSync("sha256", cookieKey, "", "switchyard setup token", 18)).toString("base64url");
