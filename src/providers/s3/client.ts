import { Refusal } from "../../base/refusal.ts";
import { encodeSegment } from "../../contract/http.ts";

/** Where an object is. Its key is kept letter by letter, but "." and ".." cannot be sent: every address drops them. */
export function objectPath(bucket: string, key: string): string {
  const isSendable = key.isWellFormed() && !key.split("/").some((part) => part === "." || part === "..");
  if (!isSendable) {
    const detail = 'must not have "." or ".." as a part between slashes, nor half characters';
    throw new Refusal("validation_failed", `key ${detail}.`, { errors: [{ pointer: "/key", detail }] });
  }
  return `/${encodeSegment(bucket)}/${key.split("/").map(encodePart).join("/")}`;
}

export const withoutQuotes = (etag: string | null | undefined): string | undefined =>
  etag?.replaceAll('"', "") || undefined;

// Signatures are over the strict form, which also encodes what encodeURIComponent leaves alone.
const encodePart = (part: string): string =>
  encodeURIComponent(part).replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
