import { z } from "zod";
import { refuseInput } from "../../contract/refuse-input.ts";
import { defineEngineNode } from "../engine-node.ts";

const longestMs = 365 * 86_400_000;
const moment = z.iso.datetime({ offset: true });

export const wait = defineEngineNode({
  id: "wait",
  title: "Wait",
  section: "logic",
  synonyms: ["delay", "sleep", "pause"],
  description:
    "Holds the items for a time or until a moment, at most a year, and then passes them on. A waiting run holds no slot.",
  per: "list",
  input: z
    .strictObject({
      milliseconds: z
        .int()
        .min(0)
        .max(longestMs)
        .optional()
        .describe("How long to wait, for example 5 minutes, which is 300000 in JSON. Give this or until.")
        .meta({ title: "How long", unit: "milliseconds" }),
      until: moment
        .optional()
        .describe(
          "Until when to wait, e.g. 2026-01-31T09:00:00Z; a moment that has passed is not waited for. Give this or a time to wait.",
        ),
    })
    .refine(({ milliseconds, until }) => (milliseconds === undefined) !== (until === undefined), {
      path: ["milliseconds"],
      message: "or until is required, not both",
    }),
  // A reference is no moment: it is judged in the run.
  findFaults({ until }, now) {
    const { data } = moment.safeParse(until);
    return data !== undefined && isTooFar(Date.parse(data), now.getTime())
      ? [{ pointer: "/until", detail: tooFar }]
      : [];
  },
  async run({ parameters: { milliseconds, until }, clock }) {
    const now = clock.now().getTime();
    const end = until === undefined ? now + (milliseconds ?? 0) : Date.parse(until);
    if (isTooFar(end, now)) throw refuseInput("/until", tooFar);
    return { waitUntil: new Date(Math.max(now, end)) };
  },
});

const tooFar = "must be within a year";
const isTooFar = (end: number, now: number): boolean => end - now > longestMs;
