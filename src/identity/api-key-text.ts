import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const prefix = "swy_";
// 32 characters of 62 are 190.5 bits.
const randomLength = 32;
const checksumLength = 6;
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

export function newApiKeyText(): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join("");
  return prefix + random + checksum(prefix + random);
}

/** Mistyped and invented keys are told apart from possible ones without asking the database. */
export function hasValidChecksum(text: string): boolean {
  return form.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

export const hashApiKey = (text: string): Buffer => hash("sha256", text, "buffer");

export const hintOfApiKey = (text: string): string => `${prefix}…${text.slice(-4)}`;

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet[rest % alphabet.length] + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
