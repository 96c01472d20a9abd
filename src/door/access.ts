import type { FastifyInstance, RouteOptions } from "fastify";
import type { ApiKeyScope, Role } from "../identity/wire.ts";

/** Who may call a route. Every route declares it in `config.access`; a door does not start with one that does not. */
export type Access =
  | "public"
  /** Health and metrics: answered whatever the Host header says, because probes use addresses. */
  | "operations"
  /** Any signed-in person. */
  | "session"
  /** An MCP client with an API key or an access token, whichever its server takes. */
  | "mcp"
  /** A member of the organization in the path, with at least this role. */
  | { role: Role }
  /** A machine with an API key. */
  | { scope: ApiKeyScope };

declare module "fastify" {
  interface FastifyContextConfig {
    access?: Access;
    /** A question although it is no GET, because it is long: it gets the database connections of pages. */
    changesNothing?: true;
  }
  interface FastifyInstance {
    /** Every route of the door with what it declares. */
    routeTable: readonly RouteOptions[];
  }
}

/** Checked when the door opens, because plugins add routes that are declared afterwards by whoever registered them. */
export function requireAccessDeclarations(server: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  server.decorate("routeTable", routes);
  server.addHook("onRoute", (route) => void routes.push(route));
  server.addHook("onReady", async () => {
    const undeclared = routes.find((route) => route.config?.access === undefined);
    if (undeclared) throw new Error(`The route ${String(undeclared.method)} ${undeclared.url} declares no access.`);
  });
}

/** For plugins whose routes cannot declare anything themselves: everything `register` adds is public. */
export async function registerPublic(
  server: FastifyInstance,
  register: (scope: FastifyInstance) => Promise<void>,
): Promise<void> {
  await server.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, access: "public" };
    });
    await register(scope);
  });
}
