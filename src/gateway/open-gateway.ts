import type { FastifyInstance } from "fastify";
import type { Calls } from "../calls/open-calls.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ServerEntry } from "../catalog/wire.ts";
import type { Ground } from "../ground/ground.ts";
import type { History } from "../history/history.ts";
import type { Identity } from "../identity/identity.ts";
import type { OAuth } from "../oauth/open-oauth.ts";
import type { Plans } from "../plans/plans.ts";
import type { Runs } from "../runs/runs.ts";
import type { Processes } from "../slots/processes.ts";
import type { Triggers } from "../triggers/triggers.ts";
import type { Vault } from "../vault/vault.ts";
import type { Workflows } from "../workflows/workflows.ts";
import { createVerifyBearer } from "./authenticate.ts";
import { createCallAction, createCallPlatformTool } from "./call-tool.ts";
import { listServers } from "./list-servers.ts";
import type { PlatformParts } from "./platform-server.ts";
import type { GatewayOptions } from "./server.ts";
import { createWorkflowMount } from "./workflow-server.ts";

type Needs = {
  identity: Pick<Identity, "organizations" | "apiKeys">;
  catalog: Catalog;
  plans: { credits: Pick<Plans, "balanceOf"> | undefined };
  vault: Pick<Vault, "credentials">;
  history: Pick<History, "calls">;
  workflows: Workflows;
  oauth: Pick<OAuth, "verifyAccessToken" | "registerAtGateway">;
  slots: { processes: Processes };
  calls: Pick<Calls, "runRecordedCall" | "steps">;
  runs: Pick<Runs, "list" | "startRun" | "waitForEnd">;
  triggers: Pick<Triggers, "page" | "setActive">;
};

/** The MCP servers: those of the providers, the one about the caller's account, and the workflows of an organization. */
export function openGateway({ config, version }: Ground, needs: Needs) {
  const { serverUrlTemplate, keyLimitPerMinute, maxResultCharacters, maxExecutionTimeMs: limitMs } = config;
  const { issuerUrl, resourceUrl } = config.oauth;
  const { catalog, oauth, workflows, runs } = needs;
  const { runRecordedCall, steps } = needs.calls;
  const platform = platformPartsOf(needs);
  return {
    /** As the pages show them. */
    listServers: (): ServerEntry[] => listServers({ catalog, version, serverUrlTemplate, platform }),

    /** Other processes never load the code of this door. */
    async open(door: GatewayOptions["door"], given: Partial<GatewayOptions> = {}): Promise<FastifyInstance> {
      const { createGatewayServer } = await import("./server.ts");
      return await createGatewayServer({
        catalog,
        platform,
        version,
        oauth,
        resourceUrl,
        serverUrlTemplate,
        keyLimitPerMinute,
        maxResultCharacters,
        apiKeys: needs.identity.apiKeys,
        verifyBearer: createVerifyBearer(oauth.verifyAccessToken),
        callAction: createCallAction(runRecordedCall),
        callPlatformTool: createCallPlatformTool(steps),
        processes: needs.slots.processes,
        privateServers: [createWorkflowMount({ workflows, runs, steps, version, limitMs })],
        ...given,
        door: { ...door, aliasUrls: [issuerUrl, resourceUrl] },
      });
    },
  };
}

const platformPartsOf = ({
  identity,
  vault,
  history,
  workflows,
  plans: { credits },
  triggers,
  runs,
}: Needs): PlatformParts => ({
  organizations: identity.organizations,
  credentials: vault.credentials,
  calls: history.calls,
  workflows,
  triggers,
  runs: runs.list,
  ...(credits ? { credits } : {}),
});
