import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { Refusal } from "../base/refusal.ts";
import { isSameText } from "../base/same-text.ts";
import { createHostCheck } from "./host-check.ts";
import type { Metrics } from "./metrics.ts";

export type OperationsOptions = {
  baseUrl: string;
  /** Other public addresses that lead here. */
  aliasUrls?: string[];
  metrics: Metrics;
  metricsToken: string | undefined;
  isDatabaseReachable: () => Promise<boolean>;
  isStopping: () => boolean;
};

const ok = z.object({ status: z.literal("ok") });

export function registerOperationsRoutes(server: FastifyInstance, options: OperationsOptions): void {
  const checkHost = createHostCheck([options.baseUrl, ...(options.aliasUrls ?? [])]);
  const schema = { tags: ["Operations"], response: { 200: ok } };
  const config = { access: "operations" } as const;

  server.get("/livez", { schema: { ...schema, summary: "Is the process alive?" }, config }, () => ({ status: "ok" }));

  server.get("/readyz", { schema: { ...schema, summary: "Can it answer requests?" }, config }, async () => {
    if (options.isStopping()) throw new Refusal("shutting_down", "The server is stopping.");
    if (!(await options.isDatabaseReachable()))
      throw new Refusal("database_unavailable", "The database cannot be reached right now.");
    return { status: "ok" };
  });

  const asText = {
    description: "Metrics in the Prometheus text format.",
    content: { "text/plain": { schema: z.string() } },
  };
  server.get(
    "/metrics",
    { schema: { tags: ["Operations"], summary: "How is it doing?", response: { 200: asText } }, config },
    async (request, reply) => {
      // A token is what no page of another name has; without one the address of the caller is trusted, which such a page borrows.
      if (options.metricsToken === undefined) checkHost(request);
      requireMetricsReader(request, options.metricsToken);
      return reply.type(options.metrics.contentType).send(await options.metrics.read());
    },
  );
}

// Without a token only the machine itself may read, and a proxy on the same machine must not lend its address to strangers.
function requireMetricsReader(request: FastifyRequest, token: string | undefined): void {
  const isForwarded = ["forwarded", "x-forwarded-for", "x-real-ip"].some((name) => request.headers[name] !== undefined);
  const isLocal = !isForwarded && /^(127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? "");
  if (token === undefined ? isLocal : isSameText(request.headers.authorization ?? "", `Bearer ${token}`)) return;
  throw new Refusal("not_found", "There is nothing here.");
}
