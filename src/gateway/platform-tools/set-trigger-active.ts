import { z } from "zod";
import type { Triggers } from "../../triggers/triggers.ts";
import { definePlatformTool, id } from "./define-platform-tool.ts";
import { trigger } from "./list-triggers.ts";

export const createSetTriggerActive = (triggers: Pick<Triggers, "setActive">) =>
  definePlatformTool({
    id: "platform_set_trigger_active",
    title: "Turn a trigger on or off",
    description: "Turns a schedule or webhook on or off. A trigger that is off starts no runs.",
    scope: "platform:write",
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    input: z.strictObject({ triggerId: id.describe("From platform_list_triggers."), active: z.boolean() }),
    output: z.object({ trigger }),
    run: async ({ input: { triggerId, active }, organizationId }) => ({
      trigger: await triggers.setActive({ organizationId, triggerId }, active),
    }),
  });
