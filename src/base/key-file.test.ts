import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readOrCreateKeyFile } from "./key-file.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "switchyard-key-"));
  path = join(folder, "some.key");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("makes 32 bytes that only the owner may read, and the same again on the next start", () => {
  const key = readOrCreateKeyFile(path);
  expect(key).toHaveLength(32);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).toBe(`${key.toString("base64")}\n`);
  expect(readOrCreateKeyFile(path)).toEqual(key);
  expect(readdirSync(folder)).toEqual(["some.key"]);
});

it("makes another key in another place", () => {
  expect(readOrCreateKeyFile(path)).not.toEqual(readOrCreateKeyFile(join(folder, "other.key")));
});

it("gives processes that start at once one key, also when they all are process 1 of their container", async () => {
  const program = `
    Object.defineProperty(process, "pid", { value: 1 });
    const { readOrCreateKeyFile } = await import(${JSON.stringify(join(import.meta.dirname, "key-file.ts"))});
    process.send("ready");
    process.once("message", (path) => {
      process.stdout.write(readOrCreateKeyFile(path).toString("base64"));
      process.disconnect();
    });
  `;
  const starts = Array.from({ length: 4 }, async () => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    await once(child, "message");
    return child;
  });
  const children = await Promise.all(starts);
  for (const child of children) child.send(path);
  const keys = await Promise.all(children.map(async ({ stdout }) => (await stdout?.toArray())?.join("")));
  expect(new Set(keys)).toEqual(new Set([readOrCreateKeyFile(path).toString("base64")]));
  expect(readdirSync(folder)).toEqual(["some.key"]);
});

it.each([
  "",
  "\n",
  "c2hvcnQ=",
  "not base64 at all",
  `${Buffer.alloc(33).toString("base64")}`,
  `${Buffer.alloc(32).toString("base64")}x`,
])("refuses the damaged file %j, leaves it as it is and does not show it", (content) => {
  writeFileSync(path, content);
  let message = "";
  try {
    readOrCreateKeyFile(path);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toBe(`${path} is damaged: it must hold 32 bytes in base64. Restore it from a backup.`);
  expect(readFileSync(path, "utf8")).toBe(content);
});

it("does not take a folder or a missing place for a new start", () => {
  mkdirSync(path);
  expect(() => readOrCreateKeyFile(path)).toThrow("EISDIR");
  expect(() => readOrCreateKeyFile(join(folder, "nowhere", "some.key"))).toThrow("ENOENT");
});
