import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { authorOf } from "../route-author.ts";
import * as wire from "../variable-wire.ts";
import type { Variables } from "./variables.ts";

const tags = ["Workflows"];
const path = "/api/organizations/:organizationId/variables";
const inOrganization = z.object({ organizationId: z.uuid() });
const params = inOrganization.extend({ variableName: z.string().max(200) });
const placeOf = ({ organizationId, variableName }: z.infer<typeof params>) => ({ organizationId, name: variableName });
const writing = { access: { role: "member" } } as const;

/** Whoever may change workflows may change what they name. */
export function registerVariableRoutes(server: FastifyInstance, variables: Variables): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    path,
    {
      config: { access: { role: "viewer" } },
      schema: { tags, summary: "List variables", params: inOrganization, response: { 200: wire.variableList } },
    },
    async (request) => ({ data: await variables.list(request.params.organizationId) }),
  );

  routes.put(
    `${path}/:variableName`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Create a variable, or change its value",
        params,
        body: wire.variableRequest,
        response: { 200: wire.variable },
      },
    },
    (request) => variables.put(placeOf(request.params), request.body.value, authorOf(request)),
  );

  routes.delete(
    `${path}/:variableName`,
    {
      config: writing,
      schema: {
        tags,
        summary: "Delete a variable",
        params,
        response: { 204: z.undefined().describe("Nothing.") },
      },
    },
    async (request, reply) => {
      await variables.remove(placeOf(request.params));
      return reply.code(204).send();
    },
  );
}
