import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { password } from "../support/people.ts";
import { runSwitchyard } from "../support/spawned-server.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const unknownId = "01a1dd74-dcd0-7482-9824-7dd92ead8c71";

let app: TestApp;
let dataDir: string;
let organizationId: string;

beforeAll(async () => {
  app = await startTestApp();
  dataDir = mkdtempSync(join(tmpdir(), "switchyard-cli-"));
  ({ organizationId } = await answer(
    "setup",
    "--email",
    "Ann@example.com",
    "--password",
    password,
    "--organization",
    "Ann's team",
  ));
});
afterAll(async () => {
  await app.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const environment = () => ({
  SWITCHYARD_DATA_DIR: dataDir,
  DATABASE_URL: app.database.url,
  SWITCHYARD_MASTER_KEY: (app.config.masterKey as Buffer).toString("base64"),
});
const run = (...words: string[]) => runSwitchyard(words, environment());

/** What a command that succeeds prints: JSON, and nothing else anywhere. */
async function answer(...words: string[]) {
  const { code, stdout, stderr } = await run(...words);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

/** The one line of a command that fails. */
async function complaint(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...words);
  expect(code).toBeGreaterThan(0);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).not.toMatch(/\.ts\b|\bat .*:\d+|node:/);
  return stderr.trim();
}

const statusOf = async (key: string) =>
  (
    await fetch(`${app.platformUrl}/task-runner/trigger/some-workflow`, {
      method: "POST",
      headers: { "x-api-key": key },
    })
  ).status;

describe("setup", () => {
  it("makes an account that can sign in and owns the organization", async () => {
    const browser = app.browser();
    expect((await browser.post("/api/sign-in", { email: "ann@example.com", password })).status).toBe(200);
    const { body } = await browser.get("/api/me");
    expect(body.organizations).toEqual([{ id: organizationId, name: "Ann's team", role: "owner" }]);
  });

  it("leaves no session behind that nobody holds", async () => {
    const { userId } = await answer(
      "setup",
      "--email",
      "bo@example.com",
      "--password",
      password,
      "--organization",
      "Bo",
      "--name",
      "Bo",
    );
    expect(await app.database.query("SELECT id FROM session WHERE user_id = $1", [userId])).toEqual([]);
    expect(await app.database.query("SELECT name FROM app_user WHERE id = $1", [userId])).toEqual([{ name: "Bo" }]);
  });

  it("takes the password from standard input or a file", async () => {
    const file = join(dataDir, "password");
    writeFileSync(file, `${password}\n`, { mode: 0o600 });
    for (const [name, words, input] of [
      ["dora", ["--password", "-"], `${password}\n`] as const,
      ["emil", ["--password-file", file], ""] as const,
    ]) {
      const email = `${name}@example.com`;
      const { code, stderr } = await runSwitchyard(
        ["setup", "--email", email, ...words, "--organization", name],
        environment(),
        input,
      );
      expect([code, stderr]).toEqual([0, ""]);
      expect((await app.browser().post("/api/sign-in", { email, password })).status).toBe(200);
    }
    const organization = ["--organization", organizationId, "--role", "viewer"];
    const person = [
      "members",
      "add",
      ...organization,
      "--email",
      "fay@example.com",
      "--name",
      "Fay",
      "--password",
      "-",
    ];
    expect((await runSwitchyard(person, environment(), `${password}\n`)).code).toBe(0);
    expect((await app.browser().post("/api/sign-in", { email: "fay@example.com", password })).status).toBe(200);
  }, 60_000);

  it("refuses an e-mail address that has an account, and makes no organization", async () => {
    const line = await complaint(
      "setup",
      "--email",
      "ann@example.com",
      "--password",
      password,
      "--organization",
      "Twice",
    );
    expect(line).toContain("--email: has an account already");
    expect(await app.database.query("SELECT id FROM organization WHERE name = 'Twice'")).toEqual([]);
  });

  it("works alone on an empty data folder, with the database it brings along", async () => {
    const alone = mkdtempSync(join(tmpdir(), "switchyard-alone-"));
    try {
      const words = ["setup", "--email", "ann@example.com", "--password", password, "--organization", "Alone"];
      const created = await runSwitchyard(words, { SWITCHYARD_DATA_DIR: alone });
      expect([created.code, created.stderr]).toEqual([0, ""]);
      const listed = await runSwitchyard(["organizations", "list"], { SWITCHYARD_DATA_DIR: alone });
      expect(JSON.parse(listed.stdout)).toEqual([
        expect.objectContaining({ id: JSON.parse(created.stdout).organizationId, name: "Alone" }),
      ]);
    } finally {
      rmSync(alone, { recursive: true, force: true });
    }
  });
});

describe("set-password", () => {
  const email = "gil@example.com";
  const setPassword = (words: string[], input?: string) =>
    runSwitchyard(["set-password", ...words], environment(), input);
  const statusOfSignIn = async (given: string) =>
    (await app.browser().post("/api/sign-in", { email, password: given })).status;

  it("gives somebody a new password, ends every session, and leaves no link that would set it again", async () => {
    const { userId } = await answer("setup", "--email", email, "--password", password, "--organization", "Gil");
    const browser = app.browser();
    await browser.post("/api/sign-in", { email, password });
    await app.browser().post("/api/password-reset", { email });
    const { code, stdout, stderr } = await setPassword(
      ["--email", "Gil@example.com", "--password", "-"],
      "an entirely new one\n",
    );
    expect([code, stderr, JSON.parse(stdout)]).toEqual([0, "", { userId, email, sessionsEnded: true }]);
    expect(stdout).not.toContain("entirely");
    expect((await browser.get("/api/me")).status).toBe(401);
    expect([await statusOfSignIn(password), await statusOfSignIn("an entirely new one")]).toEqual([401, 200]);
    expect(await app.database.query("SELECT id FROM verification WHERE value = $1", [userId])).toEqual([]);
  });

  it("takes it from a file, and refuses one that stands on the command line", async () => {
    const file = join(dataDir, "new-password");
    writeFileSync(file, "yet another one\n", { mode: 0o600 });
    expect((await setPassword(["--email", email, "--password-file", file])).code).toBe(0);
    const line = await complaint("set-password", "--email", email, "--password", "typed by mistake");
    expect(line).toMatch(/^set-password: --password: must not stand on the command line/);
    expect(line).not.toContain("mistake");
    expect([await statusOfSignIn("typed by mistake"), await statusOfSignIn("yet another one")]).toEqual([401, 200]);
  });

  it("says that there is no such account, and makes none", async () => {
    const { code, stderr } = await setPassword(["--email", "nobody@example.com", "--password", "-"], password);
    expect([code, stderr]).toEqual([1, "set-password: There is no account with this e-mail address.\n"]);
  });
});

describe("beside a running server", () => {
  it("makes, lists, regenerates and deletes a key, each in force on the very next request", async () => {
    const scopes = ["--scope", "workflows:trigger", "--scope", "mcp:invoke"];
    const created = await answer("keys", "create", "--organization", organizationId, "--name", "CI", ...scopes);
    expect(created).toMatchObject({
      name: "CI",
      scopes: ["workflows:trigger", "mcp:invoke"],
      key: expect.stringMatching(/^swy_/),
    });
    expect(await statusOf(created.key)).toBe(404);

    const listed = await answer("keys", "list", "--organization", organizationId);
    expect(listed).toEqual([expect.objectContaining({ id: created.id, hint: created.hint })]);
    expect(JSON.stringify(listed)).not.toContain(created.key);

    const one = ["--organization", organizationId, "--id", created.id];
    const renewed = await answer("keys", "regenerate", ...one);
    expect(renewed.id).toBe(created.id);
    expect([await statusOf(created.key), await statusOf(renewed.key)]).toEqual([401, 404]);

    expect(await answer("keys", "delete", ...one)).toEqual({ id: created.id, deleted: true });
    expect(await statusOf(renewed.key)).toBe(401);
    expect(await complaint("keys", "delete", ...one)).toBe("keys: There is no such API key.");
  });

  it("makes a key with rules, and names the rule that is none", async () => {
    const words = ["keys", "create", "--organization", organizationId, "--name", "Bot", "--scope", "mcp:invoke"];
    const created = await answer(...words, "--tool-rule", "github", "--tool-rule", "slack_send_*");
    expect(created.toolRules).toEqual(["github", "slack_send_*"]);
    expect(await complaint(...words, "--tool-rule", "*")).toContain("--tool-rule: must be a server or tool");
    await answer("keys", "delete", "--organization", organizationId, "--id", created.id);
  });

  it("adds, promotes and removes a member", async () => {
    const person = ["--email", "cleo@example.com", "--name", "Cleo", "--password", password, "--role", "viewer"];
    const { id } = await answer("members", "add", "--organization", organizationId, ...person);
    const browser = app.browser();
    expect((await browser.post("/api/sign-in", { email: "cleo@example.com", password })).status).toBe(200);
    const keysPath = `/api/organizations/${organizationId}/api-keys`;
    expect((await browser.get(keysPath)).status).toBe(403);

    const one = ["--organization", organizationId, "--id", id];
    expect(await answer("members", "set-role", ...one, "--role", "admin")).toEqual({ id, role: "admin" });
    expect((await browser.get(keysPath)).status).toBe(200);
    const listed = await answer("members", "list", "--organization", organizationId);
    expect(listed).toContainEqual(
      expect.objectContaining({ id, name: "Cleo", email: "cleo@example.com", role: "admin" }),
    );

    expect(await answer("members", "remove", ...one)).toEqual({ id, removed: true });
    expect((await browser.get(keysPath)).status).toBe(404);
  });

  it("keeps the last owner", async () => {
    const [owner] = await answer("members", "list", "--organization", organizationId);
    const one = ["--organization", organizationId, "--id", owner.id];
    expect(await complaint("members", "remove", ...one)).toMatch(/^members: .*owner/);
    expect(await complaint("members", "set-role", ...one, "--role", "viewer")).toMatch(/^members: .*owner/);
  });

  it("migrates again without harm", async () => {
    expect(await answer("migrate")).toEqual({ migrated: true });
  });
});

describe("bad input", () => {
  const organization = ["--organization", unknownId];
  const setup = ["setup", "--organization", "Team"];
  it.concurrent.each<[string, string[], string | RegExp]>([
    ["an unknown command", ["destroy"], /no such command; say one of: serve, setup, keys, /],
    ["a command named like something built in", ["constructor"], /no such command/],
    ["a missing action", ["keys"], "keys: say one of: create, list, regenerate, delete"],
    ["an unknown action", ["members", "promote"], "members: say one of: list, add, set-role, remove"],
    ["an unknown option", ["keys", "list", ...organization, "--all", "yes"], /^keys: .*--all/],
    [
      "missing options",
      ["setup", "--email", "dan@example.com"],
      "setup: --password: is required; --organization: is required",
    ],
    ["an option without a value", ["keys", "list", "--organization"], /^keys: .*--organization/],
    [
      "an option given twice",
      ["keys", "list", ...organization, ...organization],
      "keys: --organization: may be given only once",
    ],
    ["a bad id", ["keys", "list", "--organization", "acme"], "keys: --organization: is not a valid id"],
    ["an unknown organization", ["keys", "list", ...organization], "keys: There is no such organization."],
    [
      "a bad scope",
      ["keys", "create", ...organization, "--name", "x", "--scope", "everything"],
      /^keys: --scope: must be one of workflows:/,
    ],
    [
      "a bad role",
      ["members", "set-role", ...organization, "--id", unknownId, "--role", "king"],
      /^members: --role: must be one of owner/,
    ],
    [
      "a bad date",
      ["keys", "create", ...organization, "--name", "x", "--expires-at", "soon"],
      /--expires-at: must be a date and time/,
    ],
    [
      "a weak password",
      [...setup, "--email", "dan@example.com", "--password", "short"],
      /^setup: --password: must be at least 8/,
    ],
    [
      "a password given twice",
      [...setup, "--password", password, "--password-file", "x"],
      /--password and --password-file: say only one/,
    ],
    [
      "no standard input",
      [...setup, "--email", "dan@example.com", "--password", "-"],
      "setup: --password: standard input is empty",
    ],
    [
      "a bad e-mail address",
      [...setup, "--email", "dan", "--password", password],
      "setup: --email: is not an e-mail address",
    ],
  ])("names %s", async (_what, words, expected) => {
    expect(await complaint(...words)).toMatch(expected);
  });

  it("names a date that lies in the past", async () => {
    const key = ["--name", "x", "--scope", "mcp:invoke", "--expires-at", "2020-01-01T00:00:00Z"];
    expect(await complaint("keys", "create", "--organization", organizationId, ...key)).toContain(
      "--expires-at: must lie in the future",
    );
  });

  it("never repeats a secret", async () => {
    const unquoted = await complaint(...setup, "--email", "dan@example.com", "--password", "correct", "horse-battery");
    expect(unquoted).not.toContain("horse-battery");
    expect(await complaint(...setup, "--email", "dan", "--password", "correct-horse")).not.toContain("correct-horse");
    const url = "postgres://ann:top-secret@localhost:1/none";
    const unreachable = await runSwitchyard(["organizations", "list"], {
      SWITCHYARD_DATA_DIR: dataDir,
      DATABASE_URL: url,
    });
    expect([unreachable.code, unreachable.stdout]).toEqual([1, ""]);
    expect(unreachable.stderr).toMatch(/^organizations: .*database.*\n$/);
    expect(unreachable.stderr).not.toContain("top-secret");
  });
});

describe("help", () => {
  it("lists the commands, and says where answers go", async () => {
    const { code, stdout, stderr } = await run("help");
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("keys create --organization ID");
  });
});
