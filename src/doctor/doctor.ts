import { randomUUID } from "node:crypto";
import { createAddressRules } from "../base/address-rules.ts";
import { Refusal } from "../base/refusal.ts";
import { createSafeFetch } from "../base/safe-fetch.ts";
import type { UserCaller } from "../door/caller.ts";
import type { Connections } from "../oauth/connections.ts";
import type { Consent } from "../oauth/consent.ts";
import { createAsk } from "./ask.ts";
import { doctorName, type Examination, examine } from "./examine.ts";
import type { DescribeAccount } from "./examine-account.ts";
import type { Report, ServerAddress } from "./wire.ts";

export type Doctor = ReturnType<typeof createDoctor>;

type Options = {
  addresses: ServerAddress[];
  publicUrls: string[];
  consent: Pick<Consent, "describe" | "decide">;
  connections: Pick<Connections, "list" | "end">;
  describeAccount: (organizationId: string, reference: string) => ReturnType<DescribeAccount>;
};

type Person = { user: UserCaller; organizationId: string };

/** Checks this installation from inside. It asks nothing but the installation's own public addresses, whatever documents say. */
export function createDoctor({ addresses, publicUrls, consent, connections, describeAccount }: Options) {
  const origins = new Set([...publicUrls, ...addresses.map(({ url }) => url)].map((url) => new URL(url).origin));
  const mayVisit = ({ origin }: URL) => origins.has(origin);

  /** The person approves by asking for it. What is connected by that is found by its name and ended. */
  async function examineAs({ user, organizationId }: Person, url: string): Promise<Report> {
    const clientName = `${doctorName} ${randomUUID()}`;
    const approve = async (uid: string) => {
      const { client } = await consent.describe(uid, user);
      if (client.name !== clientName)
        throw new Refusal("oauth_state_invalid", "Another request came back than the one of this check.");
      return (await consent.decide(uid, user, { approve: true, organizationId })).redirectTo;
    };
    const viewer = { organizationId, userId: user.userId, role: "member" } as const;
    try {
      return await examineFrom({
        url,
        clientName,
        approve,
        mayVisit,
        describeAccount: (reference) => describeAccount(organizationId, reference),
      });
    } finally {
      const made = (await connections.list(viewer)).filter((connection) => connection.clientName === clientName);
      for (const { id } of made) await connections.end(viewer, id);
    }
  }

  return {
    addresses,

    requireServer(url: string): ServerAddress {
      const server = addresses.find((one) => one.url === url);
      if (server) return server;
      throw new Refusal("validation_failed", "url must be the address of one of this installation's servers.", {
        errors: [{ pointer: "/url", detail: "must be the address of one of this installation's servers" }],
      });
    },

    examine: async ({ url }: ServerAddress, person?: Person): Promise<Report> =>
      person ? await examineAs(person, url) : await examineFrom({ url, mayVisit }),
  };
}

/** Private addresses are allowed, because an installation is often checked from its own network. */
export async function examineFrom({
  mayVisit,
  ...examination
}: Examination & { mayVisit?: (url: URL) => boolean }): Promise<Report> {
  const addressRules = createAddressRules({ allowedCidrs: ["0.0.0.0/0", "::/0"] });
  const fetch = createSafeFetch({ addressRules, limits: { responseBytes: 1024 * 1024 } });
  try {
    return await examine(createAsk({ fetch, ...(mayVisit ? { mayVisit } : {}) }), examination);
  } finally {
    await fetch.close();
  }
}
