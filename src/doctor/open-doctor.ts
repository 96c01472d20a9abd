import type { FastifyInstance } from "fastify";
import type { Ground } from "../ground/ground.ts";
import type { Connections } from "../oauth/connections.ts";
import type { Consent } from "../oauth/consent.ts";
import type { ResourceServer } from "../oauth/resources.ts";
import type { Credentials } from "../vault/credentials.ts";
import { createDoctor } from "./doctor.ts";

type Needs = {
  oauth: { servers: ResourceServer[]; consent: Consent; connections: Connections };
  vault: { credentials: Pick<Credentials, "list"> };
};

/** Goes the way of an MCP client over the public addresses of this installation. */
export function openDoctor(
  { config }: Ground,
  { oauth: { servers, consent, connections }, vault: { credentials } }: Needs,
) {
  const { platform, gateway, oauth, serverUrlTemplate } = config;
  const addresses = servers.map(({ id, title }) => ({
    id,
    title,
    url: serverUrlTemplate.replaceAll("{serverId}", id),
  }));
  const publicUrls = [platform.baseUrl, gateway.baseUrl, oauth.issuerUrl, oauth.resourceUrl, oauth.consentUrlTemplate];
  const describeAccount = async (organizationId: string, reference: string) => {
    const account = (await credentials.list(organizationId)).find((one) => one.reference === reference);
    return {
      name: account?.name ?? reference,
      isUsable: !!account && !["failing", "needs_reconnect"].includes(account.health),
    };
  };
  return {
    async register(server: FastifyInstance): Promise<void> {
      const { registerDoctorRoutes } = await import("./doctor-routes.ts");
      registerDoctorRoutes(server, createDoctor({ addresses, publicUrls, consent, connections, describeAccount }));
    },
  };
}
