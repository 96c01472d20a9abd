import { z } from "zod";
import { integerAt, textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";

export const valueInputText =
  "USER_ENTERED takes values as if somebody typed them, so that dates, times and percentages become such, and also evaluates formulas: the better choice for values you know. RAW stores what is given as it is: use it for what strangers wrote.";

/** What Google says after it wrote cells. */
export const updateOutput = z.object({
  updatedRange: z.string().optional().describe("Range that was written, e.g. Sheet1!A5:D6."),
  updatedRows: z.int().optional().describe("How many rows were written."),
  updatedCells: z.int().optional().describe("How many cells were written."),
});

export const readUpdate = (update: unknown): z.output<typeof updateOutput> => ({
  updatedRange: requireProof("Google Sheets", textAt(update, "updatedRange"), "range"),
  updatedRows: integerAt(update, "updatedRows"),
  updatedCells: integerAt(update, "updatedCells"),
});
