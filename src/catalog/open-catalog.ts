import type { FastifyInstance } from "fastify";
import type { Ground } from "../ground/ground.ts";
import { createCatalog } from "./catalog.ts";
import { type LoadedProvider, loadProviders } from "./load-providers.ts";
import { createFindLookUp } from "./look-up.ts";
import type { ServerEntry } from "./wire.ts";

/** Everything the installation can do, from its providers. */
export function openCatalog({ config }: Pick<Ground, "config">, loaded: LoadedProvider[]) {
  const catalog = createCatalog(loaded, config.models);
  return {
    ...catalog,
    findLookUp: createFindLookUp(catalog),

    /** `servers`: the same tools as MCP shows them. */
    async register(server: FastifyInstance, { servers }: { servers: ServerEntry[] }): Promise<void> {
      const { registerCatalogRoutes } = await import("./routes.ts");
      registerCatalogRoutes(server, catalog, servers);
    },
  };
}

/** Whoever waits for it hears of a failure; nobody does before the database is there. */
export function beginToLoadProviders(): Promise<LoadedProvider[]> {
  const loading = loadProviders();
  loading.catch(() => {});
  return loading;
}
