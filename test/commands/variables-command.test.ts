import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { runSwitchyard } from "../support/spawned-server.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "switchyard-variables-"));
  app = await startTestApp();
  ann = await signUpOwner(app, "Ann");
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...words: string[]) =>
  runSwitchyard(["variables", ...words, "--organization", ann.organizationId], {
    DATABASE_URL: app.database.url,
    SWITCHYARD_DATA_DIR: folder,
    SWITCHYARD_MASTER_KEY: Buffer.alloc(32, "master").toString("base64"),
  });

it("variables are set, listed and removed; what reads as a number or a boolean is one", async () => {
  const values = {
    region: ["eu", "eu"],
    limit: ["5", 5],
    isLive: ["true", true],
    digits: ['"42"', "42"],
    raw: ["{}", "{}"],
  };
  for (const [name, [written, value]] of Object.entries(values)) {
    const { code, stdout } = await run("set", "--name", name, "--value", String(written));
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { name, value, changedByName: null }]);
  }
  const removed = await run("remove", "--name", "raw");
  expect(JSON.parse(removed.stdout)).toEqual({ name: "raw", removed: true });
  const names = JSON.parse((await run("list")).stdout).map(({ name }: { name: string }) => name);
  expect(names).toEqual(["digits", "isLive", "limit", "region"]);
  const refused = await run("set", "--name", "my-name", "--value", "x");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^variables: --name: must be 1 to 64 letters/),
  ]);
});
