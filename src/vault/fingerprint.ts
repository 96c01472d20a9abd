import { createHmac, hkdfSync } from "node:crypto";
import { isSameBytes } from "../base/same-text.ts";

/** Finds secrets in a text; one is begun for each call, because it gives up after a while and takes the whole text for one. */
export type FindSecrets = (text: string) => string[];

/** By what secrets are recognised, of which nothing can be read without the key. */
export type Fingerprints = { key: Buffer; written: Buffer };

/**
 * Shorter ones have none: whoever may call tools and read their records could try all passwords that people choose, because what is left out
 * of a record was right. What is as long as this was made by a machine.
 */
const shortestSecret = 16;
const keyBytes = 32;
const lengthBytes = 4;
const checkBytes = 2;
const markBytes = 16;
const entryBytes = lengthBytes + checkBytes + markBytes;

/** A record keeps a quarter of this of the parameters of a call, and JSON within a text is searched twice. What comes after it is left out. */
const mostSearched = 1024 * 1024;
/** Only texts that repeat the beginning of a secret again and again need more. */
const mostMarked = 4 * 1024 * 1024;
const mostMarks = 20_000;

/** For one organization, so that equal secrets of two cannot be told to be equal. */
export const deriveFingerprintKey = (masterKey: Buffer, organizationId: string): Buffer =>
  Buffer.from(hkdfSync("sha256", masterKey, organizationId, "switchyard secret fingerprints", keyBytes));

export function writeFingerprints(key: Buffer, secrets: string[]): Buffer {
  const checkOf = createCheck(key);
  const long = [...new Set(secrets.map((secret) => secret.trim()))].filter(({ length }) => length >= shortestSecret);
  return Buffer.concat(
    long.map((secret) => {
      const entry = Buffer.alloc(lengthBytes + checkBytes);
      entry.writeUInt32BE(secret.length, 0);
      entry.writeUInt16BE(checkOf.first(secret), lengthBytes);
      return Buffer.concat([entry, markOf(key, secret)]);
    }),
  );
}

/** The secrets themselves are not here, and none is opened: a text is only compared with what they would look like. */
export function createFindSecrets(all: Fingerprints[]): () => FindSecrets {
  const byKey = Map.groupBy(all, ({ key }) => key.toString("hex")).values();
  const searches = [...byKey].map((alike) =>
    createSearch(alike[0]?.key ?? Buffer.alloc(keyBytes), alike.flatMap(readEntries)),
  );
  return () => {
    const left = { characters: mostSearched, marked: mostMarked, marks: mostMarks };
    return (text) => {
      left.characters -= text.length;
      return left.characters < 0 && searches.length > 0
        ? [text]
        : searches.flatMap((search) => search(text, left) ?? [text]);
    };
  };
}

type Entry = { length: number; check: number; mark: Buffer };

function readEntries({ written }: Fingerprints): Entry[] {
  return Array.from({ length: Math.floor(written.length / entryBytes) }, (_, index) => {
    const entry = written.subarray(index * entryBytes, (index + 1) * entryBytes);
    return {
      length: entry.readUInt32BE(0),
      check: entry.readUInt16BE(lengthBytes),
      mark: entry.subarray(lengthBytes + checkBytes),
    };
  });
}

type Left = { characters: number; marked: number; marks: number };

function createSearch(key: Buffer, entries: Entry[]): (text: string, left: Left) => string[] | undefined {
  const checkOf = createCheck(key);
  const byCheck = Map.groupBy(entries, ({ check }) => check);
  const mayBegin = new Uint8Array(2 ** (8 * checkBytes));
  for (const check of byCheck.keys()) mayBegin[check] = 1;

  /** Undefined when it would take too long to say. */
  function findAt(text: string, start: number, alike: Entry[], left: Left): string[] | undefined {
    const found: string[] = [];
    for (const { length, mark } of alike) {
      if (start + length > text.length) continue;
      left.marks -= 1;
      left.marked -= length;
      if (left.marks < 0 || left.marked < 0) return undefined;
      const candidate = text.slice(start, start + length);
      if (isSameBytes(markOf(key, candidate), mark)) found.push(candidate);
    }
    return found;
  }

  return (text, left) => {
    const found: string[] = [];
    if (entries.length === 0 || text.length < shortestSecret) return found;
    const roll = checkOf.roll(text);
    for (let start = 0; start + shortestSecret <= text.length; start++) {
      const check = roll(start);
      if (mayBegin[check] === 0) continue;
      const here = findAt(text, start, byCheck.get(check) ?? [], left);
      if (!here) return undefined;
      found.push(...here);
    }
    return found;
  };
}

const markOf = (key: Buffer, secret: string): Buffer =>
  createHmac("sha256", key).update(secret).digest().subarray(0, markBytes);

/**
 * A check of the first characters of a secret that can be had for every place of a text in one pass (Rabin and Karp), to mark few places only.
 * It is weak, so it has sixteen bits: that is all that it could ever tell of a secret.
 */
function createCheck(key: Buffer) {
  const factor = key.readInt32BE(0) | 1;
  const mask = key.readInt32BE(4);
  const spread = key.readInt32BE(8) | 1;
  let leaving = 1;
  for (let index = 0; index < shortestSecret; index++) leaving = Math.imul(leaving, factor);
  const toCheck = (sum: number): number => Math.imul(sum ^ mask, spread) >>> (32 - 8 * checkBytes);

  /** To be asked for the places 0, 1, 2 and so on. */
  function roll(text: string): (start: number) => number {
    let sum = 0;
    for (let index = 0; index < shortestSecret - 1; index++)
      sum = (Math.imul(sum, factor) + text.charCodeAt(index)) | 0;
    return (start) => {
      const leaver = start === 0 ? 0 : Math.imul(leaving, text.charCodeAt(start - 1));
      sum = (Math.imul(sum, factor) + text.charCodeAt(start + shortestSecret - 1) - leaver) | 0;
      return toCheck(sum);
    };
  }

  return { roll, first: (text: string): number => roll(text)(0) };
}
