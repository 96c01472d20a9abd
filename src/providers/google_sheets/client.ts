import { z } from "zod";
import { integerAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";

/** What Google says after it wrote cells. */
export const updateOutput = z.object({
  updatedRange: z.string().optional(),
  updatedRows: z.int().optional(),
  updatedCells: z.int().optional(),
});

export const readUpdate = (update: unknown): z.output<typeof updateOutput> => ({
  updatedRange: requireProof("Google Sheets", textAt(update, "updatedRange"), "range"),
  updatedRows: integerAt(update, "updatedRows"),
  updatedCells: integerAt(update, "updatedCells"),
});
