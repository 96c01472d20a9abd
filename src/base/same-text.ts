import { createHash, timingSafeEqual } from "node:crypto";

/** In the same time whatever the texts are, so that a secret cannot be guessed letter by letter. */
export function isSameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The same for bytes, of which only the number may be known. */
export const isSameBytes = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);
