import { z } from "zod";
import type { Plans } from "../../plans/plans.ts";
import { definePlatformTool, reads } from "./define-platform-tool.ts";

export const createGetCreditBalance = (credits: Pick<Plans, "balanceOf">) =>
  definePlatformTool({
    id: "platform_get_credit_balance",
    title: "Get the credit balance",
    description: "How many credits the organization has left.",
    scope: "platform:read",
    hints: reads,
    input: z.strictObject({}),
    output: z.object({ balance: z.int().describe("Below 0 when more was used than there was.") }),
    run: async ({ organizationId }) => ({ balance: await credits.balanceOf(organizationId) }),
  });
