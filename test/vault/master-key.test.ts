import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKeyRingSource } from "../../src/vault/key-ring.ts";
import { createMasterKey } from "../../src/vault/master-key.ts";
import { replaceSealed } from "../../src/vault/master-key-store.ts";
import { createSeal } from "../../src/vault/seal.ts";
import { vaultTables } from "../../src/vault/store.ts";
import { signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { fakeCredentialTypes } from "../support/vault/fake-credentials.ts";

const newKey = () => randomBytes(32).toString("base64");
const wrongKey = "The master key is not the one this database was sealed with.";
const start = (database?: TestApp["database"], environment: Record<string, string> = {}) =>
  startTestApp({ credentialTypes: fakeCredentialTypes, environment, ...(database ? { database } : {}) });

let app: TestApp;
let organizationId: string;
const login = (password: string) => ({
  type: "fake_login",
  name: "Login",
  data: { host: "h", user: "u", password },
  createdBy: null,
});
const openIn = async (one: TestApp, reference: string) => {
  const [checked] = await one.parts.vault.check(organizationId, { fake_login: reference }, ["fake_login"]);
  return (await one.parts.vault.open(checked as NonNullable<typeof checked>)).data().password;
};
const keyIds = async () =>
  (
    await app.database.query<{ id: string }>(
      "SELECT DISTINCT encode(substring(sealed from 2 for 8), 'hex') AS id FROM credential",
    )
  ).map(({ id }) => id);

describe("with the key in the environment", () => {
  const [first, next] = [newKey(), newKey()];
  beforeAll(async () => {
    app = await start(undefined, { SWITCHYARD_MASTER_KEY: first });
    ({ organizationId } = await signUpOwner(app, "Ann"));
  });
  afterAll(() => app.stop());

  it("changes to a new key without a pause, and then the old one alone is refused", async () => {
    const { reference } = await app.parts.vault.credentials.create(organizationId, login("canary-1"));
    const changed = await start(app.database, { SWITCHYARD_MASTER_KEY: next, SWITCHYARD_MASTER_KEY_PREVIOUS: first });
    try {
      expect(await openIn(changed, reference)).toBe("canary-1");
      await expect(start(app.database, { SWITCHYARD_MASTER_KEY: next })).rejects.toThrow(wrongKey);
      expect(await changed.parts.vault.masterKey.rotate()).toMatchObject({
        newKey: false,
        resealed: 1,
        unreadable: [],
      });
      expect(await openIn(changed, reference)).toBe("canary-1");
      await expect(start(app.database, { SWITCHYARD_MASTER_KEY: first })).rejects.toThrow(wrongKey);
      await (await start(app.database, { SWITCHYARD_MASTER_KEY: next })).stop();
    } finally {
      await changed.stop();
    }
  });
});

describe("with the key in a file", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "switchyard-keys-"));
    app = await start(undefined, { SWITCHYARD_MASTER_KEY: "", SWITCHYARD_DATA_DIR: dataDir });
    ({ organizationId } = await signUpOwner(app, "Ann"));
  });
  afterEach(async () => {
    await app.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const rotate = () => app.parts.vault.masterKey.rotate();
  const lines = (name: string) => readFileSync(join(dataDir, name), "utf8").trim().split("\n");

  it("seals everything anew while a server keeps reading and writing", async () => {
    const running = await start(app.database, { SWITCHYARD_MASTER_KEY: "", SWITCHYARD_DATA_DIR: dataDir });
    try {
      const before = lines("master.key");
      const passwords = Array.from({ length: 120 }, (_, index) => `canary-${index}`);
      const made = await Promise.all(
        passwords.map((password) => app.parts.vault.credentials.create(organizationId, login(password))),
      );
      const reading = (async () => {
        for (const [index, { reference }] of made.entries())
          expect(await openIn(running, reference)).toBe(passwords[index]);
      })();
      const { keyId, ...rest } = await rotate();
      await reading;
      expect(rest).toEqual({ newKey: true, resealed: 120, unreadable: [] });
      expect(await keyIds()).toEqual([keyId]);
      expect(lines("master-previous.keys")).toEqual(before);
      expect(lines("master.key")).not.toEqual(before);
      expect(statSync(join(dataDir, "master.key")).mode & 0o777).toBe(0o600);
      await running.parts.vault.credentials.create(organizationId, login("later"));
      expect(await keyIds()).toEqual([keyId]);
      for (const [index, { reference }] of made.entries())
        expect(await openIn(running, reference)).toBe(passwords[index]);
    } finally {
      await running.stop();
    }
  });

  it("seals the address and the secret of a webhook anew too", async () => {
    const { browser, ...bob } = await signUpOwner(app, "Bob");
    const path = `/api/organizations/${bob.organizationId}`;
    const canvas = { nodes: [{ id: "now", nodeId: "system_date_time" }], edges: [] };
    const { body: workflow } = await browser.post(`${path}/workflows`, { name: "Hooked", canvas });
    const asked = { workflowId: workflow.id, kind: "webhook", name: "Hook", signature: "standard" };
    const { body: hook } = await browser.post(`${path}/triggers`, asked);
    const { keyId, ...rest } = await rotate();
    expect(rest).toEqual({ newKey: true, resealed: 2, unreadable: [] });
    const used = await app.database.query<{ id: string }>(
      "SELECT encode(substring(sealed from 2 for 8), 'hex') AS id FROM webhook_address",
    );
    expect(used).toEqual([{ id: keyId }]);
    expect((await browser.get(`${path}/triggers/${hook.id}/address`)).body).toEqual({ webhookUrl: hook.webhookUrl });
  });

  it("is finished by running it again when it was interrupted", async () => {
    const { reference } = await app.parts.vault.credentials.create(organizationId, login("canary-1"));
    const keyRing = createKeyRingSource({ dataDir, masterKey: undefined, previousKeys: [] });
    keyRing.addKey();
    const interrupted = lines("master.key");
    expect(await rotate()).toMatchObject({ newKey: false, resealed: 1 });
    expect(lines("master.key")).toEqual(interrupted);
    expect(await openIn(app, reference)).toBe("canary-1");
  });

  it("leaves what cannot be opened as it is, and names it", async () => {
    const { id } = await app.parts.vault.credentials.create(organizationId, login("canary-1"));
    await app.parts.vault.credentials.create(organizationId, login("canary-2"));
    await app.database.query(
      "UPDATE credential SET sealed = set_byte(sealed, length(sealed) - 1, 255 - get_byte(sealed, length(sealed) - 1)) WHERE id = $1",
      [id],
    );
    expect(await rotate()).toMatchObject({ newKey: true, resealed: 1, unreadable: [id] });
  });

  it("does not overwrite what was saved in between", async () => {
    const { id } = await app.parts.vault.credentials.create(organizationId, login("canary-1"));
    const seen = {
      table: "credential" as const,
      id,
      organization_id: organizationId,
      sealed: Buffer.from("read before"),
    };
    expect(await replaceSealed(vaultTables(app.parts.ground.db), seen, Buffer.from("sealed anew"))).toBe(false);
    expect(await openIn(app, `credential:organization:${id}`)).toBe("canary-1");
  });

  it("leaves the secrets recognisable where somebody types them in", async () => {
    await app.parts.vault.credentials.create(organizationId, login("canary-recognised"));
    const find = async () => (await app.parts.vault.findSecretsOf(organizationId))("is it canary-recognised?");
    expect(await find()).toEqual(["canary-recognised"]);
    await rotate();
    expect(await find()).toEqual(["canary-recognised"]);
    expect(await app.database.query("SELECT id FROM credential WHERE fingerprints IS NULL")).toEqual([]);
  });

  it("refuses damaged files of keys", () => {
    writeFileSync(join(dataDir, "master-previous.keys"), "nonsense\n");
    const keyRing = createKeyRingSource({ dataDir, masterKey: undefined, previousKeys: [] });
    expect(() => createSeal(keyRing.read)).toThrow("master-previous.keys is damaged");
    rmSync(join(dataDir, "master-previous.keys"));
  });

  it("does not let two changes at once lose a key", async () => {
    const { reference } = await app.parts.vault.credentials.create(organizationId, login("canary-1"));
    const keyRing = createKeyRingSource({ dataDir, masterKey: undefined, previousKeys: [] });
    const fillFingerprints = app.parts.vault.fingerprintUpkeep.run;
    const other = createMasterKey({
      db: app.parts.ground.db,
      seal: createSeal(keyRing.read),
      keyRing,
      fillFingerprints,
    });
    await Promise.all([rotate(), other.rotate()]);
    expect(await openIn(app, reference)).toBe("canary-1");
    await (await start(app.database, { SWITCHYARD_MASTER_KEY: "", SWITCHYARD_DATA_DIR: dataDir })).stop();
  });
});
