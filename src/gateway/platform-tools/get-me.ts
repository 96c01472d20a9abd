import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import type { Organizations } from "../../identity/organizations.ts";
import { roles } from "../../identity/wire.ts";
import { definePlatformTool, id, reads } from "./define-platform-tool.ts";

const organization = z.object({ id, name: z.string(), role: z.enum(roles).describe("The user's role in it.") });

export const createGetMe = (organizations: Pick<Organizations, "member" | "listOf">) =>
  definePlatformTool({
    id: "platform_get_me",
    title: "Who am I",
    description:
      "The signed-in user, the organization this connection acts on, and every organization the user belongs to.",
    scope: "platform:read",
    hints: reads,
    input: z.strictObject({}),
    output: z.object({
      user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
      organization: organization.describe("The organization this connection was approved for."),
      organizations: z.array(organization),
    }),
    async run({ organizationId, userId }) {
      const [user, all] = await Promise.all([
        organizations.member(organizationId, userId),
        organizations.listOf(userId),
      ]);
      const active = all.find((one) => one.id === organizationId);
      if (!user || !active) throw new Refusal("not_found", "The user no longer belongs to this organization.");
      return { user: { id: userId, name: user.name, email: user.email }, organization: active, organizations: all };
    },
  });
