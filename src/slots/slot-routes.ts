import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ReadSlotUse } from "./read-slot-use.ts";
import * as wire from "./wire.ts";

export function registerSlotRoutes(server: FastifyInstance, readSlotUse: ReadSlotUse): void {
  server.withTypeProvider<ZodTypeProvider>().get(
    "/api/organizations/:organizationId/slots",
    {
      config: { access: { role: "viewer" } },
      schema: {
        tags: ["Usage"],
        summary: "See how many slots are in use right now",
        params: z.object({ organizationId: z.uuid() }),
        response: { 200: wire.slotUse },
      },
    },
    (request) => readSlotUse(request.params.organizationId),
  );
}
