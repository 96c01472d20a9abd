import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { runSwitchyard } from "../support/spawned-server.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let dataDir: string;
let organizationId: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "switchyard-cli-"));
  writeFileSync(join(dataDir, "master.key"), `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  app = await startTestApp({ environment: { SWITCHYARD_MASTER_KEY: "", SWITCHYARD_DATA_DIR: dataDir } });
  ({ organizationId } = await signUpOwner(app, "Ann"));
});
afterAll(async () => {
  await app.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const environment = () => ({ SWITCHYARD_DATA_DIR: dataDir, DATABASE_URL: app.database.url });
const run = (...words: string[]) => runSwitchyard(words, environment());
async function answer(...words: string[]) {
  const { code, stdout, stderr } = await run(...words);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}
const create = (data: string) => [
  "credentials",
  "create",
  "--organization",
  organizationId,
  "--type",
  "github",
  "--name",
  "Ours",
  "--data",
  data,
];

describe("credentials on the command line", () => {
  it("are created, used by the running server after a change of the master key, listed and deleted", async () => {
    const { id, reference } = await answer(...create('{"kind":"bearer","accessToken":"canary-token"}'));
    expect(reference).toBe(`credential:organization:${id}`);
    const keyBefore = readFileSync(join(dataDir, "master.key"), "utf8");
    expect(await answer("rotate-master-key")).toMatchObject({ newKey: true, resealed: 1, unreadable: [] });
    expect(readFileSync(join(dataDir, "master.key"), "utf8")).not.toBe(keyBefore);
    const [checked] = await app.parts.vault.check(organizationId, { github: reference }, ["github"]);
    expect((await app.parts.vault.open(checked as NonNullable<typeof checked>)).data()).toMatchObject({
      accessToken: "canary-token",
    });
    expect(await answer("credentials", "list", "--organization", organizationId)).toEqual([
      { id, reference, name: "Ours", type: "github", health: "unknown", isComplete: true },
    ]);
    expect(await answer("credentials", "delete", "--organization", organizationId, "--id", id)).toEqual({
      id,
      deleted: true,
    });
    expect(await answer("credentials", "list", "--organization", organizationId)).toEqual([]);
  });

  it("become what calls use that name none, when asked for with --default", async () => {
    const { id, reference, ...rest } = await answer(
      ...create('{"kind":"bearer","accessToken":"canary-token"}'),
      "--default",
    );
    expect(rest).toEqual({ default: true });
    expect(await app.parts.vault.defaults.referenceFor(organizationId, "github")).toBe(reference);
    await answer("credentials", "delete", "--organization", organizationId, "--id", id);
  }, 60_000);

  it("take their data from standard input or a file, so that no list of processes shows it", async () => {
    const words = create("-");
    const text = '{"kind":"bearer","accessToken":"canary-token"}\n';
    const file = join(dataDir, "account.json");
    writeFileSync(file, text, { mode: 0o600 });
    const fromFile = [...words.slice(0, -2), "--data-file", file];
    for (const [given, input] of [[words, text] as const, [fromFile, undefined] as const]) {
      const { code, stdout, stderr } = await runSwitchyard([...given], environment(), input);
      expect([code, stderr]).toEqual([0, ""]);
      const { id, reference } = JSON.parse(stdout);
      const [checked] = await app.parts.vault.check(organizationId, { github: reference }, ["github"]);
      expect((await app.parts.vault.open(checked as NonNullable<typeof checked>)).data()).toMatchObject({
        accessToken: "canary-token",
      });
      await answer("credentials", "delete", "--organization", organizationId, "--id", id);
    }
    expect((await run(...words)).stderr).toBe("credentials: --data: standard input is empty\n");
  }, 60_000);

  it.each([
    ["{canary", "not valid JSON"],
    ["[]", "--data"],
    ['{"kind":"bearer"}', "accessToken"],
    ['{"kind":"bearer","accessToken":"canary","extra":1}', "extra"],
  ])("refuse the data %s in one line that does not repeat it", async (data, words) => {
    const { code, stdout, stderr } = await run(...create(data));
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^credentials: [^\n]+\n$/);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("canary");
  });
});
