import helmet from "@fastify/helmet";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Replay } from "../calls/replay.ts";
import { registerCallRoutes } from "../calls/routes.ts";
import type { TryTool } from "../calls/try-tool.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { registerCatalogRoutes } from "../catalog/routes.ts";
import type { ServerEntry } from "../catalog/wire.ts";
import type { Doctor } from "../doctor/doctor.ts";
import { registerDoctorRoutes } from "../doctor/doctor-routes.ts";
import { createDoor, type DoorOptions } from "../door/create-door.ts";
import { registerOperationsRoutes } from "../door/operations-routes.ts";
import { createAddressCount, registerRateLimit } from "../door/rate-limit.ts";
import type { EventEndpoints } from "../events/endpoints.ts";
import { registerEventRoutes } from "../events/event-routes.ts";
import type { History } from "../history/history.ts";
import { registerHistoryRoutes } from "../history/routes.ts";
import { registerAccountRoutes } from "../identity/account-routes.ts";
import { registerApiKeyRoutes } from "../identity/api-key-routes.ts";
import type { Identity } from "../identity/identity.ts";
import { registerOrganizationRoutes } from "../identity/organization-routes.ts";
import { registerConnectionRoutes } from "../oauth/connection-routes.ts";
import { registerConsentRoutes } from "../oauth/consent-routes.ts";
import type { OAuth } from "../oauth/oauth.ts";
import { registerTaskRunnerRoutes } from "../runs/accept/task-runner-routes.ts";
import type { Preview } from "../runs/read/preview.ts";
import { registerPreviewRoutes } from "../runs/read/preview-routes.ts";
import { registerRunRoutes } from "../runs/run-routes.ts";
import type { Runs } from "../runs/runs.ts";
import type { ReadSlotUse } from "../slots/read-slot-use.ts";
import { registerSlotRoutes } from "../slots/slot-routes.ts";
import { runAsPage } from "../storage/page-work.ts";
import type { FindSamples } from "../triggers/polls/find-samples.ts";
import type { ReceiveWebhook } from "../triggers/receive-webhook.ts";
import { registerRemovalRoutes } from "../triggers/removal-routes.ts";
import { registerTriggerRoutes } from "../triggers/trigger-routes.ts";
import type { Triggers } from "../triggers/triggers.ts";
import type { TryTrigger } from "../triggers/try-trigger.ts";
import type { WebhookRemovals } from "../triggers/webhook-removals.ts";
import { registerWebhookRoutes } from "../triggers/webhook-routes.ts";
import { registerUsageRoutes } from "../usage/routes.ts";
import type { ReadUsage } from "../usage/usage.ts";
import { registerDefaultCredentialRoutes } from "../vault/default-credential-routes.ts";
import { registerVaultRoutes } from "../vault/routes.ts";
import type { Vault } from "../vault/vault.ts";
import { registerEngineNodeRoutes } from "../workflows/engine-node-routes.ts";
import { type RemoveWorkflow, registerWorkflowRoutes } from "../workflows/workflow-routes.ts";
import type { Workflows } from "../workflows/workflows.ts";
import { createAuthenticate } from "./authenticate.ts";
import { registerOpenApi } from "./openapi.ts";
import { answerWithPage, registerWebUi } from "./web-ui.ts";
import { createActivityOf } from "./workflow-activity.ts";

export type PlatformOptions = {
  door: Omit<DoorOptions, "name">;
  identity: Identity;
  catalog: Catalog;
  servers: ServerEntry[];
  vault: Vault;
  workflows: Workflows;
  runs: Runs;
  preview: Preview;
  history: History;
  eventEndpoints: EventEndpoints;
  triggers: Triggers;
  tryTrigger: TryTrigger;
  findSamples: FindSamples["find"];
  webhookRemovals: WebhookRemovals;
  receiveWebhook: ReceiveWebhook;
  oauth: Pick<OAuth, "consent" | "connections">;
  doctor: Doctor;
  replay: Replay;
  tryTool: TryTool;
  readSlotUse: ReadSlotUse;
  readUsage: ReadUsage;
  version: string;
  isSignUpOpen: boolean;
  signInLimitPerMinute: number;
  signInAddressLimitPerMinute: number;
  removeWorkflow: RemoveWorkflow;
  removeOrganization: (organizationId: string) => Promise<void>;
  keyLimitPerMinute: number;
};

/** Port 3000: the platform API, its documentation and the web UI. */
export async function createPlatformServer({
  door,
  identity,
  catalog,
  servers,
  vault,
  workflows,
  runs,
  preview,
  history,
  eventEndpoints,
  triggers,
  tryTrigger,
  findSamples,
  webhookRemovals,
  receiveWebhook,
  oauth,
  doctor,
  replay,
  tryTool,
  readSlotUse,
  readUsage,
  version,
  keyLimitPerMinute,
  removeWorkflow,
  ...accountOptions
}: PlatformOptions): Promise<FastifyInstance> {
  const server = createDoor({ ...door, name: "platform", answerUnknownPath: answerWithPage });
  await registerSecurityHeaders(server, door.baseUrl);
  await registerRateLimit(server);
  await registerOpenApi(server, { baseUrl: door.baseUrl, version });
  server.decorateRequest("caller");
  const authenticate = createAuthenticate({ identity, baseUrl: door.baseUrl });
  server.addHook("onRequest", authenticate);
  // After the session was read, which everything needs.
  server.addHook("preHandler", (request, _reply, done) => (isPage(request) ? runAsPage(done) : done()));

  registerOperationsRoutes(server, door);
  const { signInAddressLimitPerMinute, ...entrance } = accountOptions;
  const countAddress = createAddressCount(server, signInAddressLimitPerMinute);
  registerAccountRoutes(server, { identity, countAddress, ...entrance });
  registerOrganizationRoutes(server, { identity, countAddress, ...entrance });
  registerApiKeyRoutes(server, identity);
  registerCatalogRoutes(server, catalog, servers);
  registerEngineNodeRoutes(server);
  registerVaultRoutes(server, vault, {
    ...{ workflows: workflows.usesOfCredential, triggers: triggers.usesOfCredential },
    ...{ webhooks: webhookRemovals.needing, loseAccount: webhookRemovals.loseAccount },
  });
  registerDefaultCredentialRoutes(server, { defaults: vault.defaults, requireApiKey: identity.apiKeys.requireOwn });
  registerHistoryRoutes(server, history, authenticate);
  registerCallRoutes(server, { replay, tryTool });
  registerSlotRoutes(server, readSlotUse);
  registerUsageRoutes(server, readUsage);
  registerWorkflowRoutes(server, { workflows, activityOf: createActivityOf({ runs: runs.list, triggers }), remove: removeWorkflow });
  registerEventRoutes(server, eventEndpoints);
  registerConsentRoutes(server, oauth.consent);
  registerConnectionRoutes(server, oauth.connections);
  registerDoctorRoutes(server, doctor);
  registerRunRoutes(server, { runs, platformBaseUrl: door.baseUrl });
  registerPreviewRoutes(server, preview);
  registerTaskRunnerRoutes(server, { runs, platformBaseUrl: door.baseUrl, keyLimitPerMinute });
  registerTriggerRoutes(server, { triggers, tryTrigger, findSamples, platformBaseUrl: door.baseUrl });
  registerRemovalRoutes(server, webhookRemovals);
  await registerWebhookRoutes(server, { receiveWebhook, platformBaseUrl: door.baseUrl, limitPerMinute: keyLimitPerMinute });
  await registerWebUi(server);
  return server;
}

async function registerSecurityHeaders(server: FastifyInstance, baseUrl: string): Promise<void> {
  await server.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", "data:"],
        connectSrc: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        objectSrc: ["'none'"],
        formAction: ["'self'"],
      },
    },
    frameguard: { action: "deny" },
    referrerPolicy: { policy: "no-referrer" },
    strictTransportSecurity: baseUrl.startsWith("https://") ? { maxAge: 31_536_000 } : false,
  });
}

const isPage = ({ method, caller, routeOptions }: FastifyRequest): boolean =>
  caller.user !== undefined && (method === "GET" || routeOptions.config.changesNothing === true);
