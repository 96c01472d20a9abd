import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { killAll, listTree } from "../processes.ts";
import { readBlocks } from "./document-blocks.ts";

type DocumentContext = {
  /** Where the commands run, and what files of the page are written to. */
  folder: string;
  /** Everything the commands find in their environment besides PATH. */
  environment: Record<string, string>;
  /** What stands in the page, and what it is here: names, addresses, folders. */
  replace: Record<string, string>;
  /** Runs before the page: what the reader has done already. */
  prelude?: string;
  /** Which blocks: those that can run beside the server, unless it says otherwise. */
  mark?: "run" | "run-stopped";
  limitMs?: number;
};

/**
 * Runs the blocks `sh run` of a page one after the other in one shell, as a reader would who pastes them, and compares what each prints with the block
 * `output` that follows it. Blocks with `file=name` are written first. `…` in an output stands for anything.
 */
export async function runDocument(page: string, context: DocumentContext): Promise<void> {
  const { folder, environment, replace, prelude = "", mark = "run", limitMs = 240_000 } = context;
  const here = (text: string) => replaceAll(text, replace);
  const blocks = readBlocks(readFileSync(page, "utf8"));
  for (const { words, text } of blocks)
    for (const name of words.flatMap((word) => /^file=([\w.-]+)$/.exec(word)?.[1] ?? []))
      writeFileSync(path.join(folder, name), here(text));
  const commands = blocks.filter(({ words }) => words.includes(mark));
  expect(commands.length, `${page} has commands to run`).toBeGreaterThan(0);
  const script = [prelude, ...commands.map(({ text }, index) => `printf '\\n%s\\n' '${marker(index)}'\n${text}`)]
    .map(here)
    .join("\n");
  writeFileSync(path.join(folder, "page.sh"), script);
  const { code, stdout, stderr } = await runShell({ folder, environment, limitMs });
  const printed = stdout.split(/\n?<<<block \d+>>>\n/).slice(1);
  const last = commands[printed.length - 1];
  expect(code, `${page}, the block of line ${last?.line}:\n${printed.at(-1)}\n${stderr}`).toBe(0);
  for (const [index, command] of commands.entries()) {
    const next = blocks[blocks.indexOf(command) + 1];
    if (!next?.words.includes("output")) continue;
    const expected = toPattern(here(next.text));
    expect(printed[index]?.trim(), `${page}, what the block of line ${command.line} prints`).toMatch(expected);
  }
}

const marker = (index: number) => `<<<block ${index}>>>`;

async function runShell({
  folder,
  environment,
  limitMs,
}: {
  folder: string;
  environment: Record<string, string>;
  limitMs: number;
}) {
  const env = { PATH: `${process.env.PATH ?? ""}:/usr/sbin`, HOME: folder, ...environment };
  const child = spawn("bash", ["-euo", "pipefail", "page.sh"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => (output[name] += chunk.toString()));
  const timer = setTimeout(() => void killAll(listTree(child.pid ?? 0)), limitMs);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { code, ...output };
}

/** The longest first, so that a name inside of another one is not taken for itself. */
function replaceAll(text: string, replace: Record<string, string>): string {
  const names = Object.keys(replace).sort((one, other) => other.length - one.length);
  if (names.length === 0) return text;
  const pattern = new RegExp(names.map(escapePattern).join("|"), "g");
  return text.replaceAll(pattern, (name) => replace[name] ?? name);
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

const toPattern = (text: string): RegExp =>
  new RegExp(`^${text.trim().split("…").map(escapePattern).join("[\\s\\S]*?")}$`);
