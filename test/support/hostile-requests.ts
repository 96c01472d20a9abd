import { gzipSync } from "node:zlib";
import fc from "fast-check";

type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
};
export type FuzzOperation = {
  method: string;
  path: string;
  query: { name: string; schema: Schema }[];
  body: Schema | undefined;
};
export type FuzzRequest = { method: string; path: string; headers: Record<string, string>; body: Buffer | undefined };
/** Values that lead somewhere, by the name of a field or parameter. */
export type Known = Record<string, unknown>;

const hostileTexts = [
  ...[
    "",
    " ",
    "0",
    "-1",
    "null",
    "undefined",
    "__proto__",
    "constructor",
    "toString",
    "[object Object]",
    "NaN",
    "1e999",
    "true",
    "\u200b",
  ],
  ...[
    "'; DROP TABLE run;--",
    "%",
    "%s%n",
    "{{ $trigger }}",
    "$7*7",
    "../../etc/passwd",
    "..\\..\\",
    "<script>",
    "\r\nSet-Cookie: a=b",
  ],
  ...[
    "\u0000",
    "\u202e",
    "\ud83d\ude00",
    "e\u0301",
    "İ",
    "ﬀ",
    "a".repeat(300),
    "x".repeat(70_000),
    "9".repeat(400),
    "2026-02-30T25:61:00Z",
  ],
];
const hostileParts = [
  "%00",
  "%ff",
  "%ED%A0%80",
  "%",
  "%zz",
  "%2e%2e%2f",
  "..%5c",
  ";a=b",
  "*",
  "'",
  '"',
  "%0d%0aX: y",
  "~",
  "+",
  "a".repeat(201),
];
const hostileJson = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, 1e308, [], {}, [[]], [null], { a: { b: {} } }),
  fc.constantFrom<unknown>(...hostileTexts),
  fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }),
  fc.constant(Array.from({ length: 600 }, () => ({}))),
);

/** A value of the described shape, here and there of another one. */
export function valueLike(
  schema: Schema,
  known: Known,
  schemas: Record<string, Schema>,
  name = "",
): fc.Arbitrary<unknown> {
  const given = schema.$ref ? (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;
  return fc.oneof(
    { weight: 12, arbitrary: shaped(given, known, schemas, name) },
    { weight: 1, arbitrary: hostileJson },
  );
}

function shaped(schema: Schema, known: Known, schemas: Record<string, Schema>, name: string): fc.Arbitrary<unknown> {
  if (name in known) return fc.constant(known[name]);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valueLike(one, known, schemas, name)));
  const inner = (one: Schema, key: string) => valueLike(one, known, schemas, key);
  switch (schema.type) {
    case "object":
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, one]) => [key, inner(one, key)])),
        {
          requiredKeys: schema.required ?? [],
        },
      );
    case "array":
      return fc.array(inner(schema.items ?? {}, name), { maxLength: 4 });
    case "integer":
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1000, 2 ** 31) });
    case "number":
      return fc.double({ noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "string":
      return textOf(schema);
    default:
      return hostileJson;
  }
}

function textOf({ format = "", minLength = 0 }: Schema): fc.Arbitrary<string> {
  const formatted: Record<string, fc.Arbitrary<string>> = {
    uuid: fc.uuid(),
    email: fc.emailAddress(),
    "date-time": fc
      .date({ min: new Date("1970-01-01"), max: new Date("2999-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString()),
    // Nothing may leave the machine, whatever the product would allow.
    uri: fc.constantFrom("https://127.0.0.1:9/hook", "http://[::1]:9/", "https://localhost:9/a?b#c"),
  };
  return (
    formatted[format] ??
    fc.oneof(fc.string({ minLength, maxLength: minLength + 20, unit: "binary" }), fc.constantFrom(...hostileTexts))
  );
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
const asQuery = (value: unknown): string =>
  typeof value === "string" ? encoded(value) : encoded(JSON.stringify(value) ?? "");

const contentTypes = [
  "text/plain",
  "application/json; charset=utf-16",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
];
const extraHeaders = fc.constantFrom<Record<string, string>>(
  ...[
    {},
    {},
    {},
    {},
    { accept: "text/html" },
    { accept: "*/*;q=0" },
    { "content-encoding": "gzip" },
    { expect: "100-continue" },
  ],
  ...[
    { "accept-language": "x".repeat(4000) },
    { range: "bytes=0-0" },
    { "if-none-match": "*" },
    { prefer: "wait=1" },
    { "last-event-id": "x" },
  ],
  ...[
    { "idempotency-key": "k" },
    { traceparent: "00-".padEnd(55, "f") },
    { "x-forwarded-for": "1.2.3.4, nonsense" },
    { te: "trailers" },
  ],
  ...[
    { "x-http-method-override": "DELETE" },
    { upgrade: "h2c", connection: "upgrade, http2-settings" },
    { "user-agent": "\u00ff\u00fe" },
  ],
  Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`x-${index}`, "y"])),
);

const spoil = (text: string): fc.Arbitrary<Buffer> =>
  fc.constantFrom(
    Buffer.from(text.slice(0, -1)),
    Buffer.from(`${text}${text}`),
    Buffer.from(text, "utf16le"),
    gzipSync(text),
    Buffer.from(text.replace("{", '{"__proto__":{"role":"owner"},')),
    Buffer.from(text.replace("{", '{"constructor":{"prototype":{}},')),
    Buffer.from(text.replace("{", '{"name":1,"name":{},"id":[],')),
    Buffer.from(text.replace(/"[^"]*"/, '"\\ud800"')),
    Buffer.from(`${"[".repeat(5000)}${text}`),
    Buffer.concat([Buffer.from(text), Buffer.from([0, 0xff, 0xfe])]),
    Buffer.from(text.replace("{", `{"${"k".repeat(100_000)}":1,`)),
  );

/** Requests to an operation: most have the described shape, in each a few things are not as described. */
export function requestTo(
  { method, path, query, body }: FuzzOperation,
  known: Known,
  schemas: Record<string, Schema>,
): fc.Arbitrary<FuzzRequest> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const part = (name: string) => {
    const fitting = fc.constant(String(known[name] ?? "01a1dd74-dcd0-7482-9824-7dd92ead8c71"));
    if (name === "organizationId") return fitting;
    const wrong = fc.oneof(
      fc.uuid(),
      fc.constantFrom(...hostileParts),
      fc.constantFrom(...hostileTexts.slice(0, 23)).map(encoded),
    );
    return fc.oneof({ weight: 5, arbitrary: fitting }, { weight: 1, arbitrary: wrong });
  };
  // Few at a time: one that is refused hides what the others would do.
  const queryOf = fc
    .subarray(query, { maxLength: Math.min(2, query.length) })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map(({ name, schema }) => [name, valueLike(schema, known, schemas, name)]))),
    );
  const bytes = body
    ? valueLike(body, known, schemas).map((value) => JSON.stringify(value) ?? "")
    : fc.oneof(
        { weight: 4, arbitrary: fc.constant("") },
        { weight: 1, arbitrary: fc.constantFrom("{}", "null", "[]", "x") },
      );
  const sent = fc.oneof(
    { weight: 5, arbitrary: bytes.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: bytes.chain(spoil) },
  );
  const type = fc.oneof(
    { weight: 9, arbitrary: fc.constant("application/json") },
    { weight: 1, arbitrary: fc.constantFrom(...contentTypes) },
  );
  return fc
    .record({
      parts: fc.tuple(...names.map(part)),
      queryOf,
      tail: fc.constantFrom("", "", "", "", "", "&a=1&a=2", "&__proto__=1", "&a[b]=c", "&%"),
      sent,
      type,
      extraHeaders,
    })
    .map(({ parts, queryOf: given, tail, sent: bodyBytes, type: contentType, extraHeaders: extra }) => {
      const filled = names.reduce((text, name, index) => text.replace(`{${name}}`, () => parts[index] as string), path);
      const text =
        Object.entries(given)
          .map(([name, value]) => `${name}=${asQuery(value)}`)
          .join("&") + tail;
      const hasBody = !["GET", "HEAD"].includes(method) && bodyBytes.length > 0;
      return {
        method,
        path: text === "" ? filled : `${filled}?${text}`,
        headers: { ...(hasBody ? { "content-type": contentType } : {}), ...extra },
        body: hasBody ? bodyBytes : undefined,
      };
    });
}
