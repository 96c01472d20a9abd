import { z } from "zod";
import { refuseInput } from "../../contract/refuse-input.ts";
import { defineEngineNode } from "../engine-node.ts";

const longestMs = 365 * 86_400_000;

export const wait = defineEngineNode({
  id: "wait",
  title: "Wait",
  description: "Holds the items for a time or until a moment, at most a year, and then passes them on. A waiting run holds no slot.",
  per: "list",
  input: z
    .strictObject({
      milliseconds: z.int().min(0).max(longestMs).optional().describe("How long to wait."),
      until: z.iso.datetime({ offset: true }).optional().describe("Until when to wait; a moment that has passed is not waited for."),
    })
    .refine(({ milliseconds, until }) => (milliseconds === undefined) !== (until === undefined), {
      path: ["milliseconds"],
      message: "or until is required, not both",
    }),
  async run({ parameters: { milliseconds, until }, clock }) {
    const now = clock.now().getTime();
    const end = until === undefined ? now + (milliseconds ?? 0) : Date.parse(until);
    if (end - now > longestMs) throw refuseInput("/until", "must be within a year");
    return { waitUntil: new Date(Math.max(now, end)) };
  },
});
