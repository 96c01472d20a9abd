import type { FastifyInstance } from "fastify";
import { registerTaskRunnerRoutes } from "./accept/task-runner-routes.ts";
import type { Preview } from "./read/preview.ts";
import { registerPreviewRoutes } from "./read/preview-routes.ts";
import { registerRunRoutes } from "./run-routes.ts";
import type { Runs } from "./runs.ts";

type Options = { runs: Runs; preview: Preview; platformBaseUrl: string; keyLimitPerMinute: number };

export function registerRunsRoutes(server: FastifyInstance, { preview, ...options }: Options): void {
  registerRunRoutes(server, options);
  registerPreviewRoutes(server, preview);
  registerTaskRunnerRoutes(server, options);
}
