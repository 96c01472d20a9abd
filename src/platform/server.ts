import helmet from "@fastify/helmet";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createDoor, type DoorOptions } from "../door/create-door.ts";
import { registerOperationsRoutes } from "../door/operations-routes.ts";
import { registerRateLimit } from "../door/rate-limit.ts";
import { runAsPage } from "../storage/page-work.ts";
import type { Authenticate } from "./authenticate.ts";
import { registerOpenApi } from "./openapi.ts";
import { answerWithPage, registerWebUi } from "./web-ui.ts";

export type PlatformOptions = {
  door: Omit<DoorOptions, "name">;
  version: string;
  authenticate: Authenticate;
  /** Opens the routes of one feature each, in the order of the documentation. */
  features: ((server: FastifyInstance) => Promise<void> | void)[];
};

/** Port 3000: the platform API, its documentation and the web UI. */
export async function createPlatformServer({
  door,
  version,
  authenticate,
  features,
}: PlatformOptions): Promise<FastifyInstance> {
  const server = createDoor({ ...door, name: "platform", answerUnknownPath: answerWithPage });
  await registerSecurityHeaders(server, door.baseUrl);
  await registerRateLimit(server, { ...door, name: "platform" });
  await registerOpenApi(server, { baseUrl: door.baseUrl, version });
  server.decorateRequest("caller");
  server.addHook("onRequest", authenticate);
  server.addHook("onRequest", ({ caller: { key, member } }, _reply, done) => {
    const organizationId = key?.organizationId ?? member?.organization.id;
    if (organizationId === undefined) done();
    else door.turns.take(organizationId, done);
  });
  // After the session was read, which everything needs.
  server.addHook("preHandler", (request, _reply, done) => (isPage(request) ? runAsPage(done) : done()));

  registerOperationsRoutes(server, door);
  for (const register of features) await register(server);
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
