import { existsSync, globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const evil = '"><img src=x onerror=alert(1)>';
const bases = () => [app.platformUrl, app.gatewayUrl];
const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { redirect: "manual", headers: { accept: "text/html", ...headers } });

/** Every address of both doors that a browser can open, with and without something evil in it. */
function addresses(): string[] {
  const paths = app.routes.flatMap((table, index) =>
    table
      .filter(
        ({ method, url }) =>
          [method].flat().includes("GET") && !/^\/(assets|docs\/static)\//.test(url) && !url.endsWith("/events"),
      )
      .map(({ url }) => `${bases()[index]}${url.replaceAll("*", "")}`),
  );
  const filled = (text: string) => paths.map((path) => path.replaceAll(/\/:\w+/g, `/${encodeURIComponent(text)}`));
  const unknown = bases().flatMap((base) =>
    ["/nothing", `/${encodeURIComponent(evil)}`, "/consent/x", "/invitation/x"].map((path) => base + path),
  );
  return [
    ...filled("x"),
    ...filled(evil).map((url) => `${url}?client_id=${encodeURIComponent(evil)}&error=${encodeURIComponent(evil)}`),
    ...unknown,
  ];
}

describe("what a browser is shown", () => {
  it("cannot be framed, runs no inline script and repeats nothing as markup", async () => {
    let pages = 0;
    for (const url of new Set(addresses())) {
      const answer = await get(url);
      const text = await answer.text();
      const type = answer.headers.get("content-type") ?? "";
      expect(answer.headers.get("x-content-type-options"), url).toBe("nosniff");
      if (!type.startsWith("text/html")) continue;
      pages += 1;
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect(policy, url).toMatch(/frame-ancestors 'none'/);
      expect(policy, url).toMatch(/base-uri 'none'/);
      expect(policy.match(/script-src[^;]*/)?.[0] ?? "", url).not.toMatch(/unsafe|\*|http/);
      expect([answer.headers.get("x-frame-options"), answer.headers.get("referrer-policy")], url).toEqual([
        "DENY",
        "no-referrer",
      ]);
      expect(text, url).not.toContain("<img src=x");
    }
    expect(pages).toBeGreaterThan(8);
  }, 60_000);

  it("leads to no address that a caller made up", async () => {
    const ways = [
      "//evil.example/",
      "/\\evil.example",
      "/%2f%2fevil.example",
      "/docs//evil.example",
      "/https:evil.example",
      "/oauth/authorize?response_type=code&client_id=x&redirect_uri=https://evil.example/",
      "/api/oauth/callback?state=x&code=y&redirect_uri=https://evil.example/",
      "/oauth/consent/AAAAAAAAAAAA?return_to=https://evil.example/",
      "/oauth/consent/AAAAAAAAAAAA/finish?ticket=x&returnTo=https://evil.example/",
    ];
    for (const url of bases().flatMap((base) => ways.map((way) => base + way))) {
      const location = (await get(url)).headers.get("location") ?? "";
      expect(
        location === "" || location.startsWith("/") || bases().some((base) => location.startsWith(`${base}/`)),
        `${url} → ${location}`,
      ).toBe(true);
      expect(location).not.toMatch(/^\/[/\\]/);
    }
  });

  it("says nothing that a header of the caller made up, so that no cache can be given it", async () => {
    const headers = {
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      "x-forwarded-for": "6.6.6.6",
      forwarded: "host=evil.example",
      "x-original-url": "/evil.example",
      "x-rewrite-url": "/evil.example",
      "x-forwarded-prefix": "/evil.example",
    };
    const documents = [
      "/",
      "/openapi.json",
      "/docs",
      "/servers",
      "/.well-known/oauth-authorization-server",
      "/.well-known/oauth-protected-resource/github/mcp",
    ];
    for (const url of bases().flatMap((base) => documents.map((path) => base + path))) {
      const answer = await get(url, headers);
      expect(await answer.text(), url).not.toContain("evil.example");
      expect(JSON.stringify([...answer.headers]), url).not.toContain("evil.example");
    }
  });
});

it("every file that the list of attacks names is there, and every attack is in the list", () => {
  const text = readFileSync("docs/security-tests.md", "utf8");
  const named = [...text.matchAll(/`((?:test|src)\/[^`]+\.test\.ts)`/g)].map(([, file]) => file as string);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
  expect(globSync("test/attacks/*.test.ts").filter((file) => !named.includes(file.replaceAll("\\", "/")))).toEqual([]);
});
