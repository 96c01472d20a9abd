import type { JsonSchema } from "../catalog/json-schema.ts";
import type { Tool } from "../contract/tool.ts";
import { outputsLimitBytes } from "../history/payload.ts";
import { takeOutMedia } from "./result-media.ts";
import { shrink } from "./shrink.ts";

type Limits = { outputSchema: JsonSchema | undefined; limitCharacters: number };
type Items = { items: Record<string, unknown>[]; recordId: string; findBytes?: Tool["findBytes"] };
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
  const { items, blocks } = findBytes ? takeOutMedia(result.items, { findBytes, recordId }) : { items: result.items, blocks: [] };
  const whole = toTexts(items);
  const fitted = (texts: string[]) => ({ texts, structured: [`"items":[${texts.join(",")}]`], blocks });
  if (lengthOf(whole) <= limitCharacters) return fitted(whole);
  const lighter = findBytes ? takeOutMedia(items, { findBytes, recordId, takesAll: true }).items : items;
  const schema = (outputSchema?.properties as Record<string, JsonSchema> | undefined)?.items ?? {};
  const shown = toTexts(shrink(lighter, schema, limitCharacters) as unknown[]);
  if (lengthOf(shown) === lengthOf(toTexts(lighter))) return fitted(shown);
  const counts = `${shown.length} of ${items.length} items, ${lengthOf(shown)} of ${lengthOf(whole)} characters`;
  return { ...fitted(shown), cut: describeCut(counts, recordId, whole) };
}

/** One object, likewise. */
export function fitOutput({ output, recordId }: Output, { outputSchema = {}, limitCharacters }: Limits): Fitted {
  const whole = JSON.stringify(output);
  const isCut = whole.length > limitCharacters;
  const text = isCut ? JSON.stringify(shrink(output, outputSchema, limitCharacters)) : whole;
  const fitted = { texts: [text], structured: text === "{}" ? [] : [text.slice(1, -1)], blocks: [] };
  return isCut ? { ...fitted, cut: describeCut(`${text.length} of ${whole.length} characters`, recordId, [whole]) } : fitted;
}

const toTexts = (items: unknown[]): string[] => items.map((item) => JSON.stringify(item));

const lengthOf = (texts: string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

function describeCut(counts: string, recordId: string, texts: string[]): string {
  const isKept = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 1) <= outputsLimitBytes;
  const place = isKept
    ? `The whole answer is in the history, as record ${recordId}.`
    : `The history keeps only its beginning, as record ${recordId}.`;
  return `Cut short: ${counts}. ${place} Ask for less to see all of it.`;
}
