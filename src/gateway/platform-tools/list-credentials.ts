import { z } from "zod";
import type { Credentials } from "../../vault/credentials.ts";
import { health } from "../../vault/wire.ts";
import { definePlatformTool, pageInput, reads, total } from "./define-platform-tool.ts";

export const createListCredentials = (credentials: Pick<Credentials, "list">) =>
  definePlatformTool({
    id: "platform_list_credentials",
    title: "List credentials",
    description: "Connected accounts: their names, types and the references that tools take. Secrets are never returned.",
    scope: "platform:read",
    hints: reads,
    input: pageInput,
    output: z.object({
      total,
      credentials: z.array(
        z.object({
          name: z.string(),
          type: z.string(),
          reference: z.string().describe("What a tool's `credentials` parameter takes."),
          // Without its name: a schema that refers to another one is too much for some clients.
          health: z.enum(health.options),
        }),
      ),
    }),
    async run({ input: { search = "", offset, limit }, organizationId }) {
      const wanted = search.toLowerCase();
      const found = (await credentials.list(organizationId)).filter((one) => `${one.name}\n${one.type}`.toLowerCase().includes(wanted));
      const page = found.slice(offset, offset + limit).map(({ name, type, reference, health }) => ({ name, type, reference, health }));
      return { total: found.length, credentials: page };
    },
  });
