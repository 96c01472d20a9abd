import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Operation, readOperations, someId } from "../support/api-operations.ts";
import type { Browser } from "../support/browser-client.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { openFingerprint } from "../support/fingerprint.ts";
import { signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let owner: Awaited<ReturnType<typeof signUpOwner>>;
let fingerprint: Awaited<ReturnType<typeof openFingerprint>>;
let operations: Operation[];

beforeAll(async () => {
  app = await startTestApp({ environment: { RATE_LIMIT_SIGN_IN_PER_MINUTE: "1000000", DEPLOYMENT_MODE: "cloud" } });
  owner = await signUpOwner(app, "Ann");
  fingerprint = await openFingerprint(app.database.target);
  operations = readOperations((await owner.browser.get("/openapi.json")).body, owner.organizationId);
});
afterAll(async () => {
  await fingerprint.close();
  await app.stop();
});

const send = (browser: Browser, { method, path }: Operation, body: string) => browser.send(method, path, body);

const refused = async (
  browser: Browser,
  operation: Operation,
  body: string,
  expected: { status?: number; code?: string },
) => expectProblem(await send(browser, operation, body), expected);

async function withoutTrace(run: () => Promise<void>): Promise<void> {
  const before = await fingerprint.read();
  await run();
  expect(await fingerprint.read()).toBe(before);
}

const kindOf = (value: unknown) => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);
const kindsOfField = (field: Operation["fields"][string]) =>
  (field.anyOf ?? [field]).map(({ type = "string" }) => (type === "integer" ? "number" : type));
const otherKinds = ["text", 5, true, null, ["text"], [5], { a: 1 }, "", "x".repeat(5000)];

describe("every operation with a body", () => {
  it("is found in the document", () => {
    expect(operations.length).toBeGreaterThanOrEqual(12);
    expect(operations.flatMap(({ fields }) => Object.keys(fields)).length).toBeGreaterThan(25);
  });

  it("refuses every field of a wrong kind, names it and writes nothing", async () => {
    for (const operation of operations)
      for (const [name, field] of Object.entries(operation.fields)) {
        const wrong = otherKinds.filter(
          (value) => !kindsOfField(field).includes(kindOf(value)) && !(field.nullable && value === null),
        );
        for (const value of wrong)
          await withoutTrace(async () => {
            const problem = await refused(
              owner.browser,
              operation,
              JSON.stringify({ ...operation.sample, [name]: value }),
              {
                status: 400,
              },
            );
            expect(problem.code).toBe("validation_failed");
            expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([
              expect.stringMatching(new RegExp(`^/${name}`)),
            ]);
            expect(problem.detail).toMatch(new RegExp(`^${name}(/\\d+)? (must|is) `));
          });
      }
  }, 180_000);

  it("refuses a missing field and says that it is required", async () => {
    for (const operation of operations)
      for (const name of operation.required)
        await withoutTrace(async () => {
          const problem = await refused(
            owner.browser,
            operation,
            JSON.stringify({ ...operation.sample, [name]: undefined }),
            {
              status: 400,
            },
          );
          expect(problem).toMatchObject({
            detail: `${name} is required.`,
            errors: [{ pointer: `/${name}`, detail: "is required" }],
          });
        });
  });

  it("names all wrong fields at once", async () => {
    // A replay may leave everything as it was.
    for (const operation of operations.filter(({ path, isOptional }) => !isOptional && !path.endsWith("/replay"))) {
      const { errors } = await refused(owner.browser, operation, "{}", { code: "validation_failed" });
      const expected = operation.required.length === 0 ? [""] : operation.required.map((name) => `/${name}`);
      expect(errors?.map(({ pointer }) => pointer).sort()).toEqual(expected.sort());
    }
  });

  it.each(["[]", '"x"', "5", "true"])("refuses the body %s", async (body) => {
    for (const operation of operations)
      await withoutTrace(async () => {
        const problem = await refused(owner.browser, operation, body, { status: 400, code: "validation_failed" });
        expect(problem.detail).toBe("The body must be an object.");
      });
  });

  it.each(["", "null"])("refuses the body %j", async (body) => {
    for (const operation of operations.filter(({ isOptional }) => !isOptional))
      expect((await refused(owner.browser, operation, body, { code: "validation_failed" })).detail).toBe(
        "The body is required.",
      );
  });

  it("refuses a stranger before it looks at the body, unless it is a way in", async () => {
    const ways = /^\/api\/(setup|sign-up|sign-in|password-reset|invitations\/[^/]+\/sign-up)/;
    await withoutTrace(async () => {
      for (const operation of operations) {
        const code = ways.test(operation.path) ? "malformed_json" : "not_signed_in";
        await refused(app.browser(), operation, "{not json", { code });
      }
    });
  });

  it("refuses NUL and half of a surrogate pair with the field's pointer", async () => {
    for (const operation of operations.filter(({ required }) => required.length > 0))
      for (const text of ["a\\u0000b", "\\ud800", "\\udc00x"])
        await withoutTrace(async () => {
          const [name = ""] = operation.required;
          const body = JSON.stringify({ ...operation.sample, [name]: "%" }).replace("%", text);
          const problem = await refused(owner.browser, operation, body, { status: 400, code: "validation_failed" });
          expect(problem.errors?.[0]?.pointer).toBe(`/${name}`);
        });
  });

  it("refuses ids in the path that are none", async () => {
    for (const { method, path } of operations.filter(({ path }) => path.includes(someId)))
      for (const id of [
        "1",
        "null",
        "undefined",
        "..%2f..",
        "%E2%80%8B",
        "a".repeat(100),
        `${someId}x`,
        "'%20OR%201=1--",
      ])
        expectProblem(await owner.browser.send(method, path.replace(someId, id), { token: "x" }), { status: 400 });
  });
});

describe("unreadable JSON", () => {
  const name = (value: string) => Buffer.from(`{"name":${value}}`);
  it.each<[string, string | Buffer, string]>([
    ["truncated", '{"name":"x', "malformed_json"],
    ["two values", '{"name":"x"}{"name":"y"}', "malformed_json"],
    ["a trailing comma", '{"name":"x",}', "malformed_json"],
    ["single quotes", "{'name':'x'}", "malformed_json"],
    ["a comment", '{"name":"x"/* */}', "malformed_json"],
    ["NaN", '{"name":NaN}', "malformed_json"],
    ["a raw control character", '{"name":"a\u0001"}', "malformed_json"],
    [
      "invalid UTF-8",
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      "malformed_json",
    ],
    [
      "an overlong UTF-8 sequence",
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]),
      "malformed_json",
    ],
    ["UTF-16", Buffer.from('{"name":"x"}', "utf16le"), "malformed_json"],
    ["65 levels", name("[".repeat(64) + "]".repeat(64)), "malformed_json"],
    ["100 000 levels", name("[".repeat(100_000) + "]".repeat(100_000)), "malformed_json"],
    ["100 000 open brackets", "[".repeat(100_000), "malformed_json"],
    ["__proto__", '{"name":"x","__proto__":{"role":"owner"}}', "malformed_json"],
    ["__proto__ in escapes", '{"name":"x","\\u005f_proto__":{"role":"owner"}}', "malformed_json"],
    ["constructor.prototype", '{"name":"x","constructor":{"prototype":{"role":"owner"}}}', "malformed_json"],
    ["a number beyond all bounds", '{"name":1e999}', "validation_failed"],
    ["64 levels of another kind", name("[".repeat(63) + "]".repeat(63)), "validation_failed"],
  ])("with %s is refused and not shown", async (_, body, code) => {
    await withoutTrace(async () => {
      const answer = await fetchBody("/api/organizations", body);
      const problem = expectProblem(answer, { status: 400, code });
      expect(JSON.stringify(problem).length).toBeLessThan(600);
    });
    expect(({} as { role?: string }).role).toBeUndefined();
  });

  it("is not what a byte order mark or a repeated key make of it: the last key counts", async () => {
    const answer = await fetchBody("/api/organizations", `\ufeff{"name":"first","name":"second"}`);
    expect([answer.status, JSON.parse(answer.text).name]).toEqual([201, "second"]);
  });

  it("is refused above 10 MiB and read just below", async () => {
    const limit = 10 * 1024 * 1024;
    const padded = (length: number) => `{"name":5}${" ".repeat(length - 10)}`;
    await withoutTrace(async () => {
      expectProblem(await fetchBody("/api/organizations", padded(limit)), { status: 400, code: "validation_failed" });
      expectProblem(await fetchBody("/api/organizations", padded(limit + 1)), { status: 413, code: "body_too_large" });
      expectProblem(await fetchBody("/api/organizations", streamOf(limit + 1)), {
        status: 413,
        code: "body_too_large",
      });
    });
  });

  it.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/jsonx", 415],
    ["application/merge-patch+json", 415],
    ["application/json; charset=utf-16", 415],
    ["application/json; charset=iso-8859-1", 415],
    ["nonsense", 415],
    ["application/json;charset=UTF-8", 400],
    ['application/json; charset="utf-8"', 400],
    ["APPLICATION/JSON", 400],
  ])("is looked for in %s: %i", async (contentType, status) => {
    expectProblem(await fetchBody("/api/organizations", '{"name":5}', { "content-type": contentType }), { status });
  });
});

const cookie = () => [...owner.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");

async function fetchBody(path: string, body: string | Buffer | ReadableStream, headers: Record<string, string> = {}) {
  const response = await fetch(app.platformUrl + path, {
    method: "POST",
    body,
    headers: { origin: app.platformUrl, cookie: cookie(), "content-type": "application/json", ...headers },
    duplex: "half",
  } as RequestInit);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const streamOf = (length: number) => ReadableStream.from([Buffer.from('{"name":5}'), Buffer.alloc(length - 10, " ")]);

describe("fields that nobody asked for", () => {
  const smuggled = {
    id: someId,
    role: "owner",
    userId: someId,
    user_id: someId,
    organizationId: someId,
    organization_id: someId,
    ownerType: "user",
    owner_type: "user",
    owner_id: someId,
    createdBy: someId,
    emailVerified: true,
    email_verified: true,
    hash: "00",
    scopes: undefined,
    isAdmin: true,
  };

  it("do not become part of a new organization", async () => {
    const { status, body } = await owner.browser.post("/api/organizations", { ...smuggled, name: "Side" });
    expect([status, body.name, body.role]).toEqual([201, "Side", "owner"]);
    expect(body.id).not.toBe(someId);
  });

  it("do not become part of a key", async () => {
    const path = `/api/organizations/${owner.organizationId}/api-keys`;
    const { status, body } = await owner.browser.post(path, { ...smuggled, name: "k", scopes: ["mcp:invoke"] });
    expect(status).toBe(201);
    const [row] = await app.database.query("SELECT * FROM api_key WHERE id = $1", [body.id]);
    expect(JSON.stringify(row)).not.toContain(someId);
    expect(row?.owner_type).toBe("organization");
  });

  it("do not change more of me than my name", async () => {
    const before = (await owner.browser.get("/api/me")).body;
    const { status, body } = await owner.browser.patch("/api/me", {
      ...smuggled,
      name: "Anna",
      email: "other@example.com",
      image: "x",
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, user: { ...before.user, name: "Anna" } });
    expect((await owner.browser.get("/api/me")).body).toEqual(body);
  });

  it("do not lift the role of an invitation", async () => {
    const path = `/api/organizations/${owner.organizationId}/invitations`;
    const { status, body } = await owner.browser.post(path, {
      ...smuggled,
      email: "guest@example.com",
      role: "viewer",
      status: "accepted",
    });
    expect([status, body.role]).toEqual([201, "viewer"]);
    const [row] = await app.database.query("SELECT * FROM invitation WHERE id = $1", [body.id]);
    expect(JSON.stringify(row)).toContain(owner.organizationId);
    expect(JSON.stringify(row)).not.toContain(someId);
  });
});

describe("a thousand random bodies", () => {
  it("never break the server and never leave a half of something", async () => {
    const field = fc.oneof(
      fc.json(),
      fc.string().map((text) => JSON.stringify(text)),
      fc.constantFrom("null", "1e999", '"\\u0000"', "{}", "[]"),
    );
    const bodies = fc.oneof(
      fc
        .record({ values: fc.array(field, { minLength: 6, maxLength: 6 }) })
        .map(({ values }) => (operation: Operation) => {
          const entries = Object.keys(operation.fields).map(
            (name, index) => `${JSON.stringify(name)}:${values[index % 6]}`,
          );
          return `{${entries.join(",")}}`;
        }),
      fc.json().map((text) => () => text),
      fc.string({ unit: "binary", maxLength: 60 }).map((text) => () => text),
    );
    let before = await fingerprint.read();
    const property = fc.asyncProperty(fc.nat(), bodies, fc.boolean(), async (index, bodyFor, isSignedIn) => {
      const operation = operations[index % operations.length] as Operation;
      const answer = await send(isSignedIn ? owner.browser : app.browser(), operation, bodyFor(operation));
      const after = await fingerprint.read();
      if (answer.status < 400) before = after;
      else expectProblem(answer);
      expect(answer.status).toBeLessThan(500);
      expect(after).toBe(before);
    });
    await fc.assert(property, { numRuns: 1000 });
  }, 180_000);
});
