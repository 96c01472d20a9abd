import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { copyRepository } from "../support/catalog/copy-repository.ts";
import { freePort } from "../support/free-port.ts";
import { createDataDir } from "../support/spawned-server.ts";

// One checkout, started again and again, and changed in between.
let copy: ReturnType<typeof copyRepository>;
let data: ReturnType<typeof createDataDir>;
beforeAll(() => {
  copy = copyRepository();
  data = createDataDir();
});
afterAll(async () => {
  await data?.remove();
  copy?.remove();
});

const bundles = () => {
  const folder = path.join(copy.folder, "dist", "server");
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** Starts the server, does something when it is ready, stops it, and gives what it said. */
async function start(whenReady: () => Promise<void> = async () => {}): Promise<string> {
  const ports = { PLATFORM_API_PORT: String(await freePort()), MCP_API_PORT: String(await freePort()) };
  const env = { PATH: process.env.PATH ?? "", SWITCHYARD_DATA_DIR: data.dataDir, ...ports };
  const child = spawn(process.execPath, [path.join(copy.folder, "scripts", "start.mjs"), "serve"], {
    cwd: copy.folder,
    env,
  });
  const ended = once(child, "close");
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  try {
    await expect.poll(() => said, { timeout: 60_000 }).toContain("Switchyard is ready");
    await whenReady();
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
  return said;
}

/** Says so when it is loaded. */
function mark(file: string): void {
  appendFileSync(file, `\nprocess.stdout.write("loaded ${path.basename(file)}\\n");\n`);
}

const markBundle = (name: string) => mark(path.join(copy.folder, "dist", "server", name, "main.js"));

it("starts from a bundle of the present sources, and from the sources while there is none", async () => {
  const first = await start();
  expect(first).toContain("bundling the server");
  // It is a checkout all the same: its data, its pages, its commands.
  expect(first).toContain("npm run -s cli -- setup");
  const [made = ""] = bundles();
  expect(bundles()).toEqual([made]);

  markBundle(made);
  expect(await start()).toContain("loaded main.js");

  const main = path.join(copy.folder, "src", "main.ts");
  const before = readFileSync(main, "utf8");
  mark(main);
  const changed = await start(async () => {
    await expect.poll(() => bundles().length, { timeout: 60_000 }).toBe(2);
  });
  expect(changed).toContain("loaded main.ts");
  expect(changed).not.toContain("loaded main.js");

  const [next = ""] = bundles().filter((name) => name !== made);
  markBundle(next);
  expect(await start()).toContain("loaded main.js");

  writeFileSync(main, before);
  expect(await start()).not.toContain("loaded main.ts");
}, 180_000);
