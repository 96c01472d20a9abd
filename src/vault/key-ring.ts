import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOrCreateKeyFile } from "../base/key-file.ts";
import { Refusal } from "../base/refusal.ts";
import type { KeyRing } from "./seal.ts";

export type KeyRingSource = ReturnType<typeof createKeyRingSource>;

type Options = { dataDir: string; masterKey: Buffer | undefined; previousKeys: Buffer[] };

/** Where the master keys are: in the environment, or in two files of the data folder that can be changed while servers run. */
export function createKeyRingSource({ dataDir, masterKey, previousKeys }: Options) {
  const currentFile = join(dataDir, "master.key");
  const previousFile = join(dataDir, "master-previous.keys");

  const read = (): KeyRing =>
    masterKey
      ? { current: masterKey, previous: previousKeys }
      : { previous: [...readKeys(previousFile), ...previousKeys], current: readOrCreateKeyFile(currentFile) };

  return {
    read,
    isFile: masterKey === undefined,
    /** Everything that may be needed to open what was sealed here: files, or the names of variables. */
    keptIn: (): string[] => [
      masterKey ? "SWITCHYARD_MASTER_KEY" : currentFile,
      ...(!masterKey && existsSync(previousFile) ? [previousFile] : []),
      ...(previousKeys.length > 0 ? ["SWITCHYARD_MASTER_KEY_PREVIOUS"] : []),
    ],
    /** The old key is kept first, so that whoever meets the new one can open both. */
    addKey(): void {
      if (masterKey)
        throw new Refusal("conflict", "The master key comes from the environment: change SWITCHYARD_MASTER_KEY there.");
      const { current, previous } = read();
      replaceFile(previousFile, [...previous, current]);
      replaceFile(currentFile, [randomBytes(32)]);
    },
  };
}

function readKeys(path: string): Buffer[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (lines.some((line) => !/^[A-Za-z0-9+/]{43}=\s*$/.test(line)))
    throw new Error(
      `${path} is damaged: it must hold keys of 32 bytes in base64, one in a line. Restore it from a backup.`,
    );
  return lines.map((line) => Buffer.from(line, "base64"));
}

// In one step, so that nobody reads half a file.
function replaceFile(path: string, keys: Buffer[]): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.draft`;
  writeFileSync(draft, keys.map((key) => `${key.toString("base64")}\n`).join(""), { mode: 0o600, flush: true });
  renameSync(draft, path);
}
