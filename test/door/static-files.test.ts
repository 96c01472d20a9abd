import { get } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let script: string;
beforeAll(async () => {
  app = await startTestApp();
  const page = await (await fetch(`${app.platformUrl}/`, { headers: { accept: "text/html" } })).text();
  script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? "";
});
afterAll(() => app.stop());

/** Not with fetch, which unpacks what it gets. */
function load(path: string, accepted?: string) {
  type Loaded = { status: number | undefined; headers: Record<string, unknown>; body: Buffer };
  return new Promise<Loaded>((resolve, reject) => {
    const headers = accepted === undefined ? {} : { "accept-encoding": accepted };
    get(`${app.platformUrl}${path}`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    }).on("error", reject);
  });
}

describe("the files of the web UI", () => {
  it("come as they were compressed when they were built, for years", async () => {
    const plain = await load(script);
    expect(plain).toMatchObject({ status: 200, headers: { vary: expect.stringMatching(/accept-encoding/i) } });
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const ways = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const [encoding, unpack] of Object.entries(ways)) {
      const { status, headers, body } = await load(script, encoding);
      expect([status, headers["content-encoding"]]).toEqual([200, encoding]);
      expect(headers["content-type"]).toBe(plain.headers["content-type"]);
      expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(body.length).toBeLessThan(plain.body.length / 2);
      expect(unpack(body).equals(plain.body)).toBe(true);
    }
  });

  it("prefer the smallest form that a browser reads", async () => {
    expect((await load(script, "gzip, deflate, br")).headers["content-encoding"]).toBe("br");
    expect((await load(script, "identity")).headers["content-encoding"]).toBeUndefined();
  });

  it("are not offered in their compressed form by name", async () => {
    expect((await load(`${script}.br`)).status).toBe(404);
  });
});
