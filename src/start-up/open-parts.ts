import { createStartCall } from "../calls/start-call.ts";
import type { LoadedProvider } from "../catalog/load-providers.ts";
import { beginToLoadProviders, openCatalog } from "../catalog/open-catalog.ts";
import { createDeliverySource, deliveryEventKind } from "../deliveries/delivery-source.ts";
import { openEvents } from "../events/open-events.ts";
import { type GroundContext, openGround } from "../ground/ground.ts";
import { openHistory } from "../history/open-history.ts";
import { openIdentity } from "../identity/open-identity.ts";
import type { PasswordHashing } from "../identity/password-hashing.ts";
import { openOAuth } from "../oauth/open-oauth.ts";
import { openPlans } from "../plans/open-plans.ts";
import { createRunSource, runEventKind } from "../runs/read/run-source.ts";
import type { CredentialType } from "../vault/credential-data.ts";
import { openVault } from "../vault/open-vault.ts";
import { openWorkflows } from "../workflows/open-workflows.ts";
import { inOrder } from "./in-order.ts";

export type Parts = Awaited<ReturnType<typeof openParts>>;

export type StartContext = GroundContext & {
  /** Those of the catalogue unless given. */
  credentialTypes?: ReadonlyMap<string, CredentialType>;
  /** Those of the folder, where somebody loaded them already. */
  providers?: Promise<LoadedProvider[]>;
  /** That of this process unless given. */
  hashing?: PasswordHashing;
};

/** What is kept, in the order of dependence: what the server and the command line have in common. */
export async function openParts({ credentialTypes, providers, hashing, ...context }: StartContext) {
  const loading = providers ?? beginToLoadProviders();
  const ground = await openGround(context);
  try {
    const identity = openIdentity(ground, { hashing });
    const catalog = openCatalog(ground, await loading);
    const plans = openPlans(ground);
    const vault = await openVault(ground, {
      credentialTypes: credentialTypes ?? catalog.credentialTypes,
      startCall: createStartCall(ground.outside),
      mayManage: identity.mayManage,
      requireApiKey: identity.apiKeys.requireOwn,
    });
    const sources = {
      [runEventKind]: createRunSource(ground),
      [deliveryEventKind]: createDeliverySource(ground),
    };
    const history = openHistory(ground, { findStoredOf: vault.findSecretsOf, sources });
    const workflows = openWorkflows(ground, { catalog, vault });
    const events = openEvents(ground, vault);
    const oauth = openOAuth(ground, { organizations: identity.organizations, vault, catalog });
    const { start, stop } = inOrder([identity, vault, history, events, oauth]);
    return {
      ground,
      identity,
      catalog,
      plans,
      vault,
      history,
      workflows,
      events,
      oauth,
      /** What a server does in the background; a command does nothing. */
      start,
      async close(): Promise<void> {
        // What still waits for an answer from outside is broken off first, so that its end is recorded.
        await ground.outside.fetch.close();
        await stop();
        await ground.close();
      },
    };
  } catch (error) {
    await ground.close();
    throw error;
  }
}
