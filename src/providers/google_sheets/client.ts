import { z } from "zod";
import { integerAt, textAt } from "../../contract/read.ts";

/** What Google says after it wrote cells. */
export const updateOutput = z.object({
  updatedRange: z.string().optional(),
  updatedRows: z.int().optional(),
  updatedCells: z.int().optional(),
});

export const readUpdate = (update: unknown): z.output<typeof updateOutput> => ({
  updatedRange: textAt(update, "updatedRange"),
  updatedRows: integerAt(update, "updatedRows"),
  updatedCells: integerAt(update, "updatedCells"),
});
