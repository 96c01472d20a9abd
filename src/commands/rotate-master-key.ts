import { z } from "zod";
import { readOptions, withParts } from "./command-line.ts";

/** Beside running servers: they can open what is sealed with either key. */
export async function rotateMasterKey(words: string[]) {
  readOptions(words, z.object({}));
  return await withParts(({ vault }) => vault.masterKey.rotate());
}
