import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const mask = "••••••••";
let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;

beforeAll(async () => {
  app = await startTestApp();
  ann = await signUpOwner(app, "Ann");
  path = `/api/organizations/${ann.organizationId}/credentials`;
});
afterAll(() => app.stop());

const create = (type: string, data: object) => ann.browser.post(path, { type, name: type, data });
const stored = async (id: string) => {
  const place = { organizationId: ann.organizationId, credentialId: id };
  return app.parts.vault.readStored(await app.parts.vault.credentials.checkOwn(place));
};

describe("a connection string in place of a server's name", () => {
  it.each<[string, string, object]>([
    [
      "postgres",
      "postgres://ann:p%40ss%2Fcanary@db.example.test:6543/shop?sslmode=require&channel_binding=require",
      { host: "db.example.test", port: 6543, user: "ann", password: "p@ss/canary", database: "shop", ssl: "require" },
    ],
    [
      "postgres",
      " postgresql://ann:canary-word@[2001:db8::1]/shop%20two ",
      { host: "2001:db8::1", user: "ann", password: "canary-word", database: "shop two", ssl: "verify" },
    ],
    [
      "postgres",
      "jdbc:postgresql://db.example.test:5432/shop?user=ann&password=canary-word&sslmode=verify-full",
      { host: "db.example.test", port: 5432, user: "ann", password: "canary-word", database: "shop", ssl: "verify" },
    ],
    [
      "mysql",
      "mysql://ann:canary-word@db.example.test:25060/shop?ssl-mode=REQUIRED",
      { host: "db.example.test", port: 25060, user: "ann", password: "canary-word", database: "shop", ssl: "require" },
    ],
    [
      "mysql",
      "mysql+pymysql://ann:canary-word@db.example.test/shop",
      { host: "db.example.test", user: "ann", password: "canary-word", database: "shop", ssl: "verify" },
    ],
    [
      "redis",
      "rediss://default:canary-word@cache.example.test:6380/2",
      { host: "cache.example.test", port: 6380, username: "default", password: "canary-word", database: 2, tls: true },
    ],
    [
      "redis",
      "redis://:canary-word@cache.example.test",
      { host: "cache.example.test", port: 6379, password: "canary-word", database: 0, tls: false },
    ],
  ])("fills the fields of a %s account: %s", async (type, host, expected) => {
    const { status, body, text } = await create(type, { host });
    expect([status, body.detail]).toEqual([201, undefined]);
    expect(text).not.toContain("canary");
    expect(await stored(body.id)).toEqual(expected);
    expect(body.data).toEqual({ ...expected, password: mask });
    const [row] = await app.database.query("SELECT public_data FROM credential WHERE id = $1", [body.id]);
    expect(JSON.stringify(row)).not.toContain("canary");
  });

  it.each([
    ["postgres", "postgres://ann:canary#word@db.example.test/shop"],
    ["postgres", "postgres://ann:/canary@db.example.test:5432/shop"],
    ["postgres", "postgres://ann:12/canary@db.example.test/shop"],
    ["mysql", "mysql://ann:12?canary@db.example.test/shop"],
    ["mysql", "mysql://ann:12#canary@db.example.test/shop"],
    ["postgres", "postgres://ann:canary-word@one.test:5432,two.test:5432/shop"],
    ["mysql", "postgres://ann:canary-word@db.example.test/shop"],
    ["redis", "rediss://"],
  ])("is refused for a %s account when it cannot be read, and not repeated: %s", async (type, host) => {
    const answer = await create(type, { host, database: type === "redis" ? 0 : "shop", user: "ann" });
    const { errors } = expectProblem(answer, { status: 400, code: "validation_failed" });
    expect(errors?.map(({ pointer }) => pointer)).toContain("/data/host");
    expect(answer.text).not.toContain("canary");
  });

  it("brings its own password when it replaces another server, and keeps none of the old one", async () => {
    const data = { host: "old.test", database: "a", user: "ann", password: "canary-old" };
    const { body } = await create("postgres", data);
    const change = (host: string) => ann.browser.patch(`${path}/${body.id}`, { data: { host } });
    expectProblem(await change("postgres://bob@new.test/b"), { status: 400, code: "validation_failed" });
    expect(await stored(body.id)).toMatchObject(data);
    expect((await change("postgres://bob:canary-new@new.test/b")).status).toBe(200);
    expect(await stored(body.id)).toEqual({
      host: "new.test",
      database: "b",
      user: "bob",
      password: "canary-new",
      ssl: "verify",
    });
  });
});
