import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { defineAction } from "../../contract/action.ts";

export const action = defineAction({
  id: "system_wait",
  title: "Wait",
  synonyms: ["delay", "sleep", "pause"],
  description: "Wait a number of seconds.",
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  credential: null,
  input: z.strictObject({
    seconds: z
      .number()
      .min(0)
      .max(3600)
      .describe(
        "How long to wait (0-3600). A call ends after the time limit of the installation (MCP_MAX_EXECUTION_TIME, 5 minutes unless it was changed), so longer waits fail.",
      ),
  }),
  output: z.object({ waitedSeconds: z.number().describe("How long it waited.") }),
  async run({ input: { seconds }, signal }) {
    try {
      await delay(seconds * 1000, undefined, { signal });
    } catch (error) {
      // The timer's own error hides why the call was ended.
      signal.throwIfAborted();
      throw error;
    }
    return [{ waitedSeconds: seconds }];
  },
});
