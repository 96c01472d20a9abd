import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { Refusal } from "../../base/refusal.ts";
import { createScrub } from "../../base/scrub.ts";
import { defineAction } from "../../contract/action.ts";
import { type HttpRequest, providerFailure } from "../../contract/http.ts";
import { refuseInput } from "../../contract/refuse-input.ts";
import { readRetryAfterMs } from "../../contract/retry-after.ts";
import { charsetOf, decodeText, isOfAccount, openAddress, readBody } from "./client.ts";
import { httpCredential } from "./credential.ts";

// Whatever the server answers is read here, also a refusal: whether that is a failure is for the caller to say.
const everyStatus = Array.from({ length: 400 }, (_, index) => 200 + index);

// RFC 9110, 9.2.2.
const idempotentMethods = new Set(["GET", "HEAD", "PUT", "DELETE"]);
const isKey = (name: string): boolean => name.toLowerCase() === "idempotency-key";

export const action = defineAction({
  id: "http_request",
  title: "HTTP request",
  synonyms: ["get", "post", "put", "rest call", "webhook"],
  summary: ["method", "url"],
  description: "Send an HTTP request and return status, headers and body.",
  guide:
    "Use it for whatever a service offers beyond its own tools: name the account of that service and only the path. A status of 400 and above is an answer and no failure: look at `status`.",
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  credential: httpCredential,
  worksWithoutAccount: true,
  takesOtherAccounts: true,
  isForDefault: isOfAccount,
  nodeDefaults: { errorStatus: "fail" },
  input: z.strictObject({
    method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]).default("GET").describe("HTTP method."),
    url: z.url().describe("Absolute http(s) address, e.g. https://api.example.com/v1/items.").meta({ title: "URL" }),
    query: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Values for the query, e.g. {"page": 2}; a list sends its name several times.'),
    headers: z.record(z.string(), z.unknown()).optional().describe('Further headers, e.g. {"Accept": "text/csv"}.'),
    body: z
      .unknown()
      .optional()
      .describe('JSON value, text or form fields, as bodyType says, e.g. {"name": "Ann"}. Not with GET and HEAD.'),
    bodyType: z.enum(["json", "text", "form"]).default("json").describe("How the body is sent."),
    timeoutSeconds: z.int().min(1).max(120).default(30).describe("How long to wait for the whole answer."),
    errorStatus: z
      .enum(["fail", "answer"])
      .optional()
      .describe(
        "What a status of 400 and above is: fail for a failure, answer for an answer like any other. Left out, it is a failure of a node in a workflow and an answer to who calls the tool.",
      )
      .meta({ title: "Fail on status 400 and above", toggle: { on: "fail", off: "answer" } }),
  }),
  output: z.object({
    status: z.int().describe("HTTP status, e.g. 200."),
    headers: z.record(z.string(), z.unknown()).describe("Headers of the answer by lower-case name."),
    body: z.unknown().optional().describe("Parsed JSON, text, or the bytes as base64 where bodyEncoding says so."),
    bodyEncoding: z
      .enum(["base64"])
      .optional()
      .describe("base64 when the body is neither JSON nor text; absent otherwise."),
    bytes: z.int().optional().describe("How many bytes, where bodyEncoding is base64."),
    contentType: z.string().optional().describe("Content-Type header."),
  }),
  findBytes: ({ bodyEncoding, contentType }) =>
    bodyEncoding === undefined ? [] : [{ field: "body", mimeType: contentType }],
  isRepeatable: ({ method, headers = {} }) => idempotentMethods.has(method) || Object.keys(headers).some(isKey),
  async run({ input, http, fetch, signal, credential, credentialType, secrets }) {
    const { method, url: address, query = {}, headers = {}, body, bodyType, timeoutSeconds } = input;
    if (body !== undefined && (method === "GET" || method === "HEAD"))
      throw refuseInput("/body", `cannot be sent with ${method}`);
    const request = {
      method,
      query: readValues(query, "/query"),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, readValue(value, `/headers/${name}`)]),
      ),
      ...(body === undefined ? {} : encodeBody(body, bodyType)),
      timeoutMs: timeoutSeconds * 1000,
      ...(credentialType === null || credentialType === httpCredential.type
        ? { alsoAccept: everyStatus }
        : { acceptsRefusals: true }),
    };
    const { response, url } = await openAddress(address, request, { http, fetch, signal, credential, secrets });
    const contentType = response.headers.get("content-type");
    const bytes = await readBody(response, url.hostname);
    if (response.status >= 400 && input.errorStatus === "fail")
      throw refuseStatus({ response, url, bytes }, { address, headers, secrets: secrets() });
    return [
      {
        status: response.status,
        headers: { ...Object.fromEntries(response.headers), ...joinCookies(response.headers) },
        ...(bytes.length === 0 ? {} : decodeBody(bytes, contentType)),
        ...(contentType === null ? {} : { contentType }),
      },
    ];
  },
});

type Answered = { response: Response; url: URL; bytes: Buffer };
type Asked = { address: string; headers: Record<string, unknown>; secrets: readonly string[] };

const longestWords = 500;
const harmlessHeaders = /^(accept|accept-.*|content-.*|user-agent|if-.*|prefer|cache-control)$/i;

/** Secrets are taken out before it is cut, so that no part of one is left at the end. */
function refuseStatus(
  { response: { status, headers }, url, bytes }: Answered,
  { address, secrets, ...asked }: Asked,
): Refusal {
  const typed = Object.entries(asked.headers).filter(([name]) => !harmlessHeaders.test(name));
  const values = typed.flatMap(([, value]) => [String(value), ...String(value).split(" ")]);
  const { body, bodyEncoding } = decodeBody(bytes, headers.get("content-type"));
  const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "");
  const words = createScrub([...secrets, ...values])
    .text(text)
    .trim();
  const message = bodyEncoding === undefined ? shorten(words) : "";
  const failure = providerFailure(url.hostname, { status, message, retryAfterMs: readRetryAfterMs(headers) });
  // What an address elsewhere refuses says nothing about the account, which was not sent there.
  return url.origin === new URL(address).origin ? failure : new Refusal(failure.code, failure.message);
}

const shorten = (text: string): string => (text.length <= longestWords ? text : `${text.slice(0, longestWords)}…`);

function encodeBody(
  body: unknown,
  bodyType: "json" | "text" | "form",
): Pick<HttpRequest, "json" | "body" | "form" | "headers"> {
  if (bodyType === "json") return { json: body };
  if (bodyType === "text") return { body: typeof body === "string" ? body : JSON.stringify(body) };
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw refuseInput("/body", "must be an object of form fields");
  return { form: readValues(body as Record<string, unknown>, "/body") };
}

function readValues(values: Record<string, unknown>, pointer: string): Record<string, string[]> {
  const entries = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, [value].flat().map((entry) => readValue(entry, `${pointer}/${name}`))]),
  );
}

function readValue(value: unknown, pointer: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw refuseInput(pointer, "must be a text, a number or a truth value");
}

/** What is neither JSON nor text comes as base64. */
function decodeBody(
  bytes: Buffer,
  contentType: string | null,
): { body: unknown; bodyEncoding?: "base64"; bytes?: number } {
  const charset = charsetOf(contentType);
  if (charset === undefined && !isUtf8(bytes))
    return { body: bytes.toString("base64"), bodyEncoding: "base64", bytes: bytes.length };
  const text = decodeText(bytes, charset);
  if (!/^[^;]*[/+]json\s*(;|$)/i.test(contentType ?? "")) return { body: text };
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return { body: text };
  }
}

function joinCookies(headers: Headers): Record<string, string> {
  const cookies = headers.getSetCookie();
  return cookies.length === 0 ? {} : { "set-cookie": cookies.join("\n") };
}
