import { toStorableText } from "../base/json.ts";

export type Payload = { text: string; truncated: boolean; sanitized: boolean };

/** How much of the outputs of a call its record keeps. */
export const outputsLimitBytes = 1024 * 1024;

const longestPreviewBytes = 16 * 1024;

/** The text under which a record keeps a value. One that is too large becomes a marker that says so and shows its beginning. */
export function toPayload(value: unknown, limitBytes: number): Payload {
  const { value: shorter, leftOutBytes } = cutLongTexts(value, limitBytes);
  const { text, sanitized } = toStorableText(shorter);
  // No character takes more than three bytes for each of its UTF-16 units.
  if (leftOutBytes === 0 && text.length * 3 <= limitBytes) return { text, truncated: false, sanitized };
  const originalBytes = Buffer.byteLength(text) + leftOutBytes;
  if (originalBytes <= limitBytes) return { text, truncated: false, sanitized };
  const preview = text
    .slice(0, Math.min(longestPreviewBytes, Math.floor(limitBytes / 8)))
    .replace(/[\ud800-\udbff]$/, "");
  return { text: JSON.stringify({ truncated: true, originalBytes, preview }), truncated: true, sanitized };
}

/** The parameters of the executions of a node are a list of objects, which may have lists of texts. */
const deepestCut = 3;

/**
 * A text that is longer than the whole payload may be is only shown by its beginning, so the rest of it is not written out first:
 * ten megabytes take longer than all else that is done for a call. Texts that are nested deeper are left to that.
 */
function cutLongTexts(value: unknown, limitBytes: number): { value: unknown; leftOutBytes: number } {
  let leftOutBytes = 0;

  function cut(given: unknown, level: number): unknown {
    if (typeof given === "string") return given.length > limitBytes ? shorten(given) : given;
    if (typeof given !== "object" || given === null || level === deepestCut) return given;
    return Array.isArray(given) ? cutList(given, level) : cutObject(given, level);
  }

  function shorten(text: string): string {
    const kept = text.slice(0, limitBytes);
    leftOutBytes += Buffer.byteLength(text) - Buffer.byteLength(kept);
    return kept;
  }

  // What has no long text stays as it is: a copy would lose what is no plain object, and costs more than looking.
  function cutList(list: unknown[], level: number): unknown[] {
    const entries = list.map((entry) => cut(entry, level + 1));
    return entries.every((entry, index) => entry === list[index]) ? list : entries;
  }

  function cutObject(object: object, level: number): object {
    const entries = Object.entries(object).map(
      ([key, entry]: [string, unknown]) => [key, entry, cut(entry, level + 1)] as const,
    );
    return entries.every(([, before, after]) => before === after)
      ? object
      : Object.fromEntries(entries.map(([key, , after]) => [key, after]));
  }

  return { value: cut(value, 0), leftOutBytes };
}

/** Whether a payload of a record is only the marker. The record must say so too: a caller may have sent what looks like one. */
export const isCutShort = ({ truncated }: { truncated: boolean }, payload: unknown): boolean =>
  truncated && typeof payload === "object" && payload !== null && "originalBytes" in payload && "preview" in payload;

/** A short text from outside, such as an error or a name, in a form that the database always takes. */
export function toStorableLine(text: string, maxLength: number): string {
  const storable = text.replaceAll("\0", "\ufffd").toWellFormed();
  return storable.length <= maxLength
    ? storable
    : `${storable.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
