import type { FastifyInstance } from "fastify";
import { registerTaskRunnerRoutes } from "./accept/task-runner-routes.ts";
import { registerEditorRunRoutes } from "./editor/editor-run-routes.ts";
import type { CountStarts } from "./read/count-starts.ts";
import type { Preview } from "./read/preview.ts";
import { registerPreviewRoutes } from "./read/preview-routes.ts";
import { registerStartRoutes } from "./read/start-routes.ts";
import { registerRunRoutes } from "./run-routes.ts";
import type { Runs } from "./runs.ts";

type Options = {
  runs: Runs;
  preview: Preview;
  countStarts: CountStarts;
  platformBaseUrl: string;
  keyLimitPerMinute: number;
};

export function registerRunsRoutes(server: FastifyInstance, { preview, countStarts, ...options }: Options): void {
  registerRunRoutes(server, options);
  registerStartRoutes(server, countStarts);
  registerEditorRunRoutes(server, options);
  registerPreviewRoutes(server, preview);
  registerTaskRunnerRoutes(server, options);
}
