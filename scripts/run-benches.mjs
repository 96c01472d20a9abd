import { existsSync, globSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { runChild } from "./run-child.mjs";

/** Runs bench/<name>, or every bench/*.bench.ts in order, each in a process of its own, and then says which bars were met. */
export async function runBenches(root, [name, ...words]) {
  const judged = [];
  for (const file of name ? [findBench(root, name)] : globSync("bench/*.bench.ts", { cwd: root }).sort()) {
    process.stderr.write(`switchyard: ${file}\n`);
    const { code, figures } = await runBench(root, [file, ...words]);
    if (code !== 0) process.exitCode = 1;
    judged.push(...figures.filter(({ bar }) => bar));
    if (code !== 0 && figures.every(({ ok }) => ok !== false))
      judged.push({ bench: file, figure: "ended with an error", ok: false });
  }
  process.stderr.write(`\n${judged.map(describeVerdict).join("")}`);
}

/** Passes on what it prints, and keeps the figures among it. */
async function runBench(root, [file, ...words]) {
  const lines = [];
  const onStart = (child) =>
    createInterface({ input: child.stdout }).on("line", (line) => {
      lines.push(line);
      process.stdout.write(`${line}\n`);
    });
  const code = await runChild(
    process.execPath,
    [path.join(root, file), ...words],
    { cwd: root, stdio: ["inherit", "pipe", "inherit"] },
    onStart,
  );
  return { code, figures: lines.filter((line) => line.startsWith('{"bench"')).map((line) => JSON.parse(line)) };
}

function describeVerdict({ bench, figure, value, unit, bar = {}, ok }) {
  const wanted = bar.atLeast === undefined ? `at most ${bar.atMost}` : `at least ${bar.atLeast}`;
  return `${ok ? "pass" : "FAIL"}  ${bench}: ${figure}${value === undefined ? "" : `: ${value} ${unit} (${wanted})`}\n`;
}

function findBench(root, name) {
  const found = [`bench/${name}.bench.ts`, `bench/${name}.ts`].find((file) => existsSync(path.join(root, file)));
  if (!found) throw new Error(`no bench named "${name}"`);
  return found;
}
