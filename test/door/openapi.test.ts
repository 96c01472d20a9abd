import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusalStatus } from "../../src/base/refusal.ts";
import { someId } from "../support/api-operations.ts";
import { skipWithoutBrowser } from "../support/browser/launch-browser.ts";
import { startBrowser } from "../support/browser/start-browser.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

type Parameter = { name: string; in: string; required: boolean; schema: object };
type Content = Record<string, { schema: object }>;
type Operation = {
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};
type Document = {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    securitySchemes: Record<string, { type: string; in: string; name: string }>;
  };
};

// The JSON Schema checker that the HTTP framework brings along.
const load = createRequire(createRequire(import.meta.url).resolve("fastify"));
const formats = { uuid: true, "date-time": true, email: true, uri: true };

let app: TestApp;
let text: string;
let document: Document;
let operations: { path: string; method: string; operation: Operation }[];

beforeAll(async () => {
  app = await startTestApp();
  text = await (await fetch(`${app.platformUrl}/openapi.json`)).text();
  document = JSON.parse(text);
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
});
afterAll(() => app.stop());

/** Every route of the platform, as its door was told of it. */
const readRoutes = (): string[] =>
  (app.routes[0] ?? []).flatMap(({ method, url }) =>
    [method].flat().map((one) => `${one} ${url.replaceAll(/:(\w+)/g, "{$1}")}`),
  );

describe("the document", () => {
  it("is OpenAPI 3.1 about this server", async () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.info).toMatchObject({
      title: "Switchyard platform API",
      version: JSON.parse(readFileSync("package.json", "utf8")).version,
    });
    expect(document.servers).toEqual([{ url: app.platformUrl }]);
  });

  it("describes every route but pages and files, and nothing else", () => {
    const isPage = (route: string) =>
      /^\w+ \/(docs|openapi\.json|assets\/|index\.html|favicon|apply-theme|licenses\.md|$)/.test(route);
    const routes = readRoutes().filter((route) => !isPage(route) && !/^(HEAD|OPTIONS) /.test(route));
    expect(routes.length).toBeGreaterThan(25);
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort());
  });

  it("gives each operation a summary, a tag, its parameters and the error form", () => {
    for (const { path, method, operation } of operations) {
      const place = `${method} ${path}`;
      expect(operation.summary, place).toMatch(/^[A-Z].{3,70}$/);
      expect(operation.tags, place).toHaveLength(1);
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => name).sort(), place).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort(),
      );
      expect(
        inPath.every(({ required }) => required),
        place,
      ).toBe(true);
      expect(operation.responses.default?.content, place).toEqual({
        "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
      });
      expect(Object.keys(operation.responses).length, place).toBeGreaterThan(1);
      for (const [status, { description }] of Object.entries(operation.responses)) {
        expect(status, place).toMatch(/^(2\d\d|302|default)$/);
        expect(description.length, place).toBeGreaterThan(3);
      }
    }
  });

  it("asks for what the server asks for", async () => {
    for (const { path, method, operation } of operations) {
      const response = await fetch(app.platformUrl + path.replaceAll(/\{\w+\}/g, someId), {
        method,
        headers: { origin: app.platformUrl },
      });
      const body = response.headers.get("content-type")?.includes("json")
        ? ((await response.json()) as { code?: string })
        : {};
      const expected = { not_signed_in: [{ session: [] }], api_key_missing: [{ apiKey: [] }] }[body.code ?? ""] ?? [];
      expect(operation.security, `${method} ${path}`).toEqual(expected);
    }
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual(["apiKey", "session"]);
  });

  it("names the cookie that a session really has", async () => {
    const browser = app.browser();
    const owner = {
      name: "Ann",
      email: "ann@example.com",
      password: "correct horse battery",
      organizationName: "Team",
    };
    expect((await browser.post("/api/setup", owner)).status).toBe(201);
    expect([...browser.cookies.keys()]).toContain(document.components.securitySchemes.session?.name);
  });

  it("has readable names, no unused shape and no bounds of JavaScript numbers", () => {
    const names = Object.keys(document.components.schemas);
    expect(names).toEqual(expect.arrayContaining(["Problem", "Role", "ApiKey", "Organization"]));
    for (const name of names) {
      expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(name).not.toMatch(/Input$/);
      expect(text).toContain(`"#/components/schemas/${name}"`);
    }
    expect(text).not.toMatch(/9007199254740991|Default Response|__SCHEMA|\$defs/);
  });

  it("holds only valid JSON Schemas whose references lead somewhere", () => {
    const ajv = new (load("ajv/dist/2020").Ajv2020)({ strict: true, allowUnionTypes: true, formats });
    ajv.addKeyword("components");
    const contents = operations.flatMap(({ operation }) =>
      [operation.requestBody, ...Object.values(operation.responses)].map((part) => part?.content ?? {}),
    );
    const schemas = [
      ...contents.flatMap((content) => Object.values(content).map(({ schema }) => schema)),
      ...operations.flatMap(({ operation }) => (operation.parameters ?? []).map(({ schema }) => schema)),
    ];
    expect(schemas.length).toBeGreaterThan(50);
    for (const schema of schemas) ajv.compile({ ...schema, components: document.components });
  });

  it("describes the answers that are really given", async () => {
    const ajv = new (load("ajv/dist/2020").Ajv2020)({ strict: false, formats });
    const matches = (schema: object | undefined, value: unknown) =>
      ajv.validate({ ...schema, components: document.components }, value);
    const problem = await (await fetch(`${app.platformUrl}/api/me`)).json();
    expect(matches(document.components.schemas.Problem, problem)).toBe(true);
    const setup = await (await fetch(`${app.platformUrl}/api/setup`)).json();
    const described = document.paths["/api/setup"]?.get?.responses["200"]?.content?.["application/json"]?.schema;
    expect(matches(described, setup)).toBe(true);
    expect(matches(described, problem)).toBe(false);
  });
});

describe("the page about errors", () => {
  it("lists exactly the codes of the product with their status", () => {
    const rows = [...readFileSync("docs/errors.md", "utf8").matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \| (.+) \|$/gm)];
    expect(Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))).toEqual(refusalStatus);
    expect(rows).toHaveLength(Object.keys(refusalStatus).length);
  });
});

describe("the page /docs", () => {
  it("opens in a browser without complaints, in light and dark", async (context) => {
    skipWithoutBrowser(context);
    const browser = await startBrowser();
    try {
      const complaints: string[] = [];
      const backgrounds: string[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await browser.newPage({ colorScheme });
        page.on("console", (message) => complaints.push(message.text()));
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("requestfailed", (request) => complaints.push(request.url()));
        await page.goto(`${app.platformUrl}/docs`);
        // Of many operations the page draws those that are in view.
        const creating = page.getByText("Create an API key");
        await expect
          .poll(
            async () => {
              await page.mouse.wheel(0, 500);
              return await creating.count();
            },
            { timeout: 15_000, interval: 100 },
          )
          .toBe(1);
        await creating.click();
        await page.getByRole("button", { name: "Try it out" }).waitFor();
        await page.getByText("Problem", { exact: true }).first().waitFor();
        expect(await page.locator(".topbar").isVisible()).toBe(false);
        backgrounds.push(
          await page.evaluate(
            "getComputedStyle(document.documentElement).backgroundColor + getComputedStyle(document.body).backgroundColor",
          ),
        );
        await page.close();
      }
      expect(complaints).toEqual([]);
      expect(new Set(backgrounds).size).toBe(2);
    } finally {
      await browser.close();
    }
  }, 40_000);
});
