import { z } from "zod";
import type { Credentials } from "../../vault/credentials.ts";
import { health } from "../../vault/wire.ts";
import { definePlatformTool, nextCursor, placeInput, reads, totalSoFar } from "./define-platform-tool.ts";

export const createListCredentials = (credentials: Pick<Credentials, "search">) =>
  definePlatformTool({
    id: "platform_list_credentials",
    title: "List credentials",
    description:
      "Connected accounts: their names, types and the references that tools take. Secrets are never returned.",
    scope: "platform:read",
    hints: reads,
    input: placeInput,
    output: z.object({
      total: totalSoFar,
      nextCursor,
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
    async run({ input, organizationId }) {
      const { total: all, data, nextCursor: next } = await credentials.search(organizationId, input);
      const shown = data.map(({ name, type, reference, health }) => ({ name, type, reference, health }));
      return { total: all, nextCursor: next, credentials: shown };
    },
  });
