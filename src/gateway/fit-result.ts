import type { JsonSchema } from "../catalog/json-schema.ts";
import type { Action } from "../contract/action.ts";
import { outputsLimitBytes } from "../records/payload.ts";
import { sizeOf } from "./json-size.ts";
import { takeOutMedia } from "./result-media.ts";
import { shrink } from "./shrink.ts";

type Limits = { outputSchema: JsonSchema | undefined; limitCharacters: number };
type Items = { items: Record<string, unknown>[]; recordId: string; findBytes?: Action["findBytes"] };
type Output = { output: Record<string, unknown>; recordId: string };

/** What a model is given of an answer, as JSON text, and what to say when something of it is missing. */
type Fitted = {
  texts: string[];
  /** The members of the structured form. */
  structured: string[];
  /** Pictures and sound. */
  blocks: string[];
  cut?: string;
};

export function fitItems(result: Items, { outputSchema, limitCharacters }: Limits): Fitted {
  const { recordId, findBytes } = result;
  const media = findBytes && takeOutMedia(result.items, { findBytes, recordId });
  const { items, blocks, hasLargePicture } = media ?? { items: result.items, blocks: [], hasLargePicture: false };
  const whole = toTexts(items);
  const isLong = lengthOf(whole) > limitCharacters;
  const lighter = isLong && findBytes ? takeOutMedia(items, { findBytes, recordId, takesAll: true }).items : items;
  const schema = (outputSchema?.properties as Record<string, JsonSchema> | undefined)?.items ?? {};
  const shown = isLong ? toTexts(shrink(lighter, schema, limitCharacters) as unknown[]) : whole;
  const isCut = isLong && lengthOf(shown) !== lengthOf(toTexts(lighter));
  const counts = `${shown.length} of ${items.length} items, ${lengthOf(shown)} of ${lengthOf(whole)} characters`;
  const cut = describeCut({
    recordId,
    answer: result.items,
    hasLargePicture,
    hasHandles: lighter.some((item, index) => item !== result.items[index]),
    ...(isCut ? { counts } : {}),
  });
  return { texts: shown, structured: [`"items":[${shown.join(",")}]`], blocks, ...cut };
}

/** One object, likewise. */
export function fitOutput({ output, recordId }: Output, { outputSchema = {}, limitCharacters }: Limits): Fitted {
  const whole = JSON.stringify(output);
  const isCut = whole.length > limitCharacters;
  const shown = isCut ? (shrink(output, outputSchema, limitCharacters) as Output["output"]) : output;
  const text = isCut ? JSON.stringify(shown) : whole;
  const counts = `${text.length} of ${whole.length} characters`;
  const cut = describeCut({
    recordId,
    answer: output,
    ...(isCut ? { counts, skipsEntries: skipsEntries(output, shown) } : {}),
  });
  return { texts: [text], structured: text === "{}" ? [] : [text.slice(1, -1)], blocks: [], ...cut };
}

const toTexts = (items: unknown[]): string[] => items.map((item) => JSON.stringify(item));

const lengthOf = (texts: string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

/** Whether the next page begins behind entries that were left out of this one. */
const skipsEntries = (output: Output["output"], shown: Output["output"]): boolean =>
  typeof output.nextCursor === "string" &&
  Object.entries(output).some(
    ([key, list]) => Array.isArray(list) && list.length !== (shown[key] as unknown[] | undefined)?.length,
  );

type Missing = {
  recordId: string;
  /** As the record was given it. */
  answer: unknown;
  /** When something was cut: how much. */
  counts?: string;
  hasHandles?: boolean;
  hasLargePicture?: boolean;
  skipsEntries?: boolean;
};

function describeCut({ recordId, answer, counts, ...missing }: Missing): { cut?: string } {
  if (counts === undefined && !missing.hasHandles) return {};
  const isKept = isKeptWhole(answer);
  if (counts === undefined && isKept) return {};
  const sentences = [
    counts === undefined ? "" : `Cut short: ${counts}.`,
    missing.hasLargePicture ? "A picture of more than 5 MB as base64 is not shown." : "",
    isKept
      ? `The whole answer is in the history, as record ${recordId}.`
      : `The history keeps only its beginning, as record ${recordId}.`,
    missing.hasHandles && !isKept ? "What a handle stands for is not kept." : "",
    missing.skipsEntries
      ? "`nextCursor` begins behind the entries left out: ask again with a smaller `limit` to see them."
      : "",
    counts === undefined ? "" : "Ask for less to see all of it.",
  ];
  return { cut: sentences.filter((sentence) => sentence !== "").join(" ") };
}

const isKeptWhole = (answer: unknown): boolean =>
  sizeOf(answer, outputsLimitBytes) <= outputsLimitBytes &&
  Buffer.byteLength(JSON.stringify(answer)) <= outputsLimitBytes;
