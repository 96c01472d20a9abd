import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { commandLine } from "../base/own-files.ts";
import { userOf } from "../door/caller.ts";
import { createCount } from "../door/rate-limit.ts";
import type { Doctor } from "./doctor.ts";
import * as wire from "./wire.ts";

// Each examination sends a dozen requests and registers a client.
const examinationsPerMinute = 10;

export function registerDoctorRoutes(door: FastifyInstance, doctor: Doctor): void {
  const routes = door.withTypeProvider<ZodTypeProvider>();
  const tags = ["Connections"];
  const count = createCount(door, {
    maxPerMinute: examinationsPerMinute,
    callerOf: (request) => userOf(request).userId,
  });

  routes.get(
    "/api/doctor/servers",
    {
      config: { access: "session" },
      schema: { tags, summary: "List the addresses MCP clients connect to", response: { 200: wire.serverAddressList } },
    },
    () => ({ data: doctor.addresses, commandLine }),
  );

  routes.post(
    "/api/doctor",
    {
      config: { access: "session" },
      schema: {
        tags,
        summary: "Try to connect as an MCP client does",
        body: wire.examination,
        response: { 200: wire.report },
      },
    },
    async (request, reply) => {
      const { url, organizationId } = request.body;
      const server = doctor.requireServer(url);
      await count(request, reply);
      return await doctor.examine(
        server,
        organizationId === undefined ? undefined : { user: userOf(request), organizationId },
      );
    },
  );
}
