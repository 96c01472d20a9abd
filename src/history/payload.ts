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
  const preview = text.slice(0, Math.min(longestPreviewBytes, Math.floor(limitBytes / 8))).replace(/[\ud800-\udbff]$/, "");
  return { text: JSON.stringify({ truncated: true, originalBytes, preview }), truncated: true, sanitized };
}

/**
 * A text that is longer than the whole payload may be is only shown by its beginning, so the rest of it is not written out first:
 * ten megabytes take longer than all else that is done for a call.
 */
function cutLongTexts(value: unknown, limitBytes: number): { value: unknown; leftOutBytes: number } {
  if (typeof value === "string" && value.length > limitBytes) {
    const kept = value.slice(0, limitBytes);
    return { value: kept, leftOutBytes: Buffer.byteLength(value) - Buffer.byteLength(kept) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { value, leftOutBytes: 0 };
  const entries = Object.entries(value as Record<string, unknown>);
  if (!entries.some(([, text]) => typeof text === "string" && text.length > limitBytes)) return { value, leftOutBytes: 0 };
  const cut = entries.map(
    ([key, text]) => [key, typeof text === "string" ? cutLongTexts(text, limitBytes) : { value: text, leftOutBytes: 0 }] as const,
  );
  return {
    value: Object.fromEntries(cut.map(([key, { value: kept }]) => [key, kept])),
    leftOutBytes: cut.reduce((sum, [, { leftOutBytes }]) => sum + leftOutBytes, 0),
  };
}

/** Whether a payload of a record is only the marker. The record must say so too: a caller may have sent what looks like one. */
export const isCutShort = ({ truncated }: { truncated: boolean }, payload: unknown): boolean =>
  truncated && typeof payload === "object" && payload !== null && "originalBytes" in payload && "preview" in payload;

/** A short text from outside, such as an error or a name, in a form that the database always takes. */
export function toStorableLine(text: string, maxLength: number): string {
  const storable = text.replaceAll("\0", "\ufffd").toWellFormed();
  return storable.length <= maxLength ? storable : `${storable.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
