import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";

/** Reads a 32-byte key; the first process to ask makes it. A link cannot overwrite, so concurrent starts agree on one key. */
export function readOrCreateKeyFile(path: string): Buffer {
  return readKeyFile(path) ?? createKeyFile(path);
}

function readKeyFile(path: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  if (!/^[A-Za-z0-9+/]{43}=\s*$/.test(text))
    throw new Error(`${path} is damaged: it must hold 32 bytes in base64. Restore it from a backup.`);
  return Buffer.from(text, "base64");
}

function createKeyFile(path: string): Buffer {
  // Not named by process: two containers on one volume may both be process 1.
  const draft = `${path}.${randomBytes(6).toString("hex")}.draft`;
  writeFileSync(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return readOrCreateKeyFile(path);
}
