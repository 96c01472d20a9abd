import type { FastifyInstance } from "fastify";
import type { Ground } from "../ground/ground.ts";
import type { CountCalls } from "../history/call-usage.ts";
import type { CountRuns } from "../runs/read/run-usage.ts";
import { createReadUsage } from "./usage.ts";

type Needs = { history: { countCalls: CountCalls }; runs: { countRuns: CountRuns } };

/** How much an organization did, put together from what history and runs count. */
export const openUsage = ({ clock }: Ground, { history: { countCalls }, runs: { countRuns } }: Needs) => ({
  async register(server: FastifyInstance): Promise<void> {
    const { registerUsageRoutes } = await import("./routes.ts");
    registerUsageRoutes(server, createReadUsage({ countCalls, countRuns, clock }));
  },
});
