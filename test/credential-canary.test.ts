import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { createCatalog } from "../src/catalog/catalog.ts";
import { loadProviders } from "../src/catalog/load-providers.ts";
import type { Variant } from "../src/contract/credential.ts";
import { signUpOwner } from "./support/people.ts";
import { startTestApp, type TestApp } from "./support/test-app.ts";

const { credentialTypes } = createCatalog(await loadProviders());
const variants = [...credentialTypes.values()].flatMap(({ definition }) => definition.variants.map((variant) => ({ definition, variant })));

let app: TestApp;
let owner: Awaited<ReturnType<typeof signUpOwner>>;
const seen: string[] = [];

/** Sends everything it was asked back, in the body, in headers and as an error, in several forms. */
const hostile = createServer((request, response) => {
  void text(request).then((body) => {
    const heard = JSON.stringify([request.url, request.headers, body, decodeURIComponent(request.url ?? "")]);
    const forms = [
      heard,
      Buffer.from(heard).toString("base64"),
      encodeURIComponent(heard),
      Buffer.from(heard).toString("hex"),
      String(request.headers.authorization),
    ].join(" ");
    const header = encodeURIComponent(heard).slice(0, 4000);
    response.writeHead(400, { "content-type": "application/json", "x-echo": header, "retry-after": "0" });
    response.end(
      JSON.stringify({ error: "refused", error_description: forms, message: forms, detail: forms, errors: [{ message: forms }] }),
    );
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.1", resolve));
  app = await startTestApp({ credentialTypes, environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
  owner = await signUpOwner(app, "Ann");
});
afterAll(async () => {
  await app.stop();
  hostile.closeAllConnections();
  await new Promise((resolve) => hostile.close(resolve));
});

type Field = { secret?: boolean; enum?: string[]; format?: string; type?: string; pattern?: string };

const closedPort = 1;
const samples: Record<string, string> = { accountSid: `AC${"0".repeat(32)}`, region: "eu-central-1", authKind: "basic" };

function fillIn(variant: Variant, url: string): { data: Record<string, unknown>; canaries: string[] } {
  const { properties = {} } = z.toJSONSchema(variant.fields, { io: "input" }) as { properties?: Record<string, Field> };
  const canaries: string[] = [];
  const entries = Object.entries(properties).map(([name, field]): [string, unknown] => {
    if (!field.secret) return [name, samples[name] ?? field.enum?.at(-1) ?? harmless(name, field, url)];
    const canary = `CANARY+${name}/${randomUUID()}`;
    canaries.push(canary);
    return [name, canary];
  });
  return { data: Object.fromEntries(entries), canaries };
}

function harmless(name: string, { type = "", format = "" }: Field, url: string): unknown {
  const byKind: Record<string, unknown> = {
    "date-time": new Date(Date.now() - 1000).toISOString(),
    uri: `${url}/${name}`,
    integer: closedPort,
    boolean: false,
  };
  return byKind[format] ?? byKind[type] ?? (/host$/i.test(name) ? "127.0.0.1" : "someone");
}

const formsOf = (value: string) => {
  const bytes = Buffer.from(value);
  return [
    value,
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    encodeURIComponent(value),
    encodeURIComponent(encodeURIComponent(value)),
  ];
};

it.each(variants.map(({ definition, variant }) => ({ name: `${definition.type} ${variant.kind}`, definition, variant })))(
  "keeps the secrets of $name to itself",
  async ({ definition, variant }) => {
    const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
    const { data, canaries } = fillIn(variant, url);
    const kind = definition.variants.length > 1 ? { kind: variant.kind } : {};
    const baseUrl = definition.baseUrl === null || "baseUrl" in data ? {} : { baseUrl: url };
    const path = `/api/organizations/${owner.organizationId}/credentials`;
    const made = await owner.browser.post(path, { type: definition.type, name: definition.type, data: { ...kind, ...data, ...baseUrl } });
    expect([made.status, made.body.errors]).toEqual([201, undefined]);
    expect(canaries.length).toBeGreaterThan(0);
    const answers = [
      made,
      await owner.browser.post(`${path}/${made.body.id}/test`),
      await owner.browser.get(`${path}/${made.body.id}`),
      await owner.browser.get(path),
    ];
    const [row] = await app.database.query<{ dump: string; sealed: string }>(
      "SELECT c::text AS dump, encode(sealed, 'escape') AS sealed FROM credential c WHERE id = $1",
      [made.body.id],
    );
    const everything = [
      ...answers.map(({ text: body, headers }) => body + JSON.stringify([...headers])),
      row?.dump,
      row?.sealed,
      ...app.logLines,
    ].join("\n");
    seen.push(everything);
    for (const form of canaries.flatMap(formsOf)) expect(everything.includes(form)).toBe(false);
    expect(everything).not.toContain("CANARY");
  },
);

it("was really asked to keep something back", () => {
  expect(seen.filter((everything) => everything.includes("[secret]")).length).toBeGreaterThan(10);
});
