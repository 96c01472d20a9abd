import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { userOf } from "../door/caller.ts";
import { limitPerMinute } from "../door/rate-limit.ts";
import type { Doctor } from "./doctor.ts";
import * as wire from "./wire.ts";

// Each examination sends a dozen requests and registers a client.
const examinationsPerMinute = 10;

export function registerDoctorRoutes(server: FastifyInstance, doctor: Doctor): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();
  const tags = ["Connections"];

  routes.get(
    "/api/doctor/servers",
    {
      config: { access: "session" },
      schema: { tags, summary: "List the addresses MCP clients connect to", response: { 200: wire.serverAddressList } },
    },
    () => ({ data: doctor.addresses }),
  );

  routes.post(
    "/api/doctor",
    {
      config: { access: "session", rateLimit: limitPerMinute(examinationsPerMinute, (request) => userOf(request).userId) },
      schema: { tags, summary: "Try to connect as an MCP client does", body: wire.examination, response: { 200: wire.report } },
    },
    (request) => {
      const { url, organizationId } = request.body;
      return doctor.examine(url, organizationId === undefined ? undefined : { user: userOf(request), organizationId });
    },
  );
}
