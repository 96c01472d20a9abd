import type { Mapper, Missing } from "../mapped.ts";
import { pairsOf, type Reader, textOf } from "../reader.ts";
import { readJsonText } from "./logic.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
/** Names under which secrets are sent. They belong into an account, and are taken over from no file. */
const secretName = /auth(?!ors?$)|api[-_]?key|token(?!s)|secret|passw|cookie|session|^key$/i;

/** n8n gives the body of the answer as items, so a node behind the request does the same. */
const bodyOnly = "$input.body";
const wholeAnswer = '{ "statusCode": $input.status, "headers": $input.headers, "body": $input.body }';

const request: Mapper = (read, { typeVersion }) => {
  const method = textOf(read.raw("method") ?? read.raw("requestMethod"), "GET");
  if (!methods.includes(method)) return { missing: `HTTP request does not send ${method}.` };
  const body = typeVersion >= 3 ? readBody(read) : readOlderBody(read);
  if ("missing" in body) return body;
  if (textOf(read.raw("authentication"), "none") !== "none") read.remark("Choose the account that it signs in with.");
  const { isWhole, ...options } = readOptions(read);
  const query = readPairs(read, ["queryParameters.parameters", "queryParametersUi.parameter"], "query");
  const headers = readPairs(read, ["headerParameters.parameters", "headerParametersUi.parameter"], "header");
  for (const name of flags) read.raw(name);
  const parameters = { method, url: readAddress(read), query, headers, ...body, ...options };
  return { to: "http_request", parameters, after: isWhole ? wholeAnswer : bodyOnly };
};

/** Without a password or a key that stands in the address itself. */
function readAddress(read: Reader): unknown {
  const address = read.raw("url");
  if (typeof address !== "string") return read.value("url");
  const clean = address
    .replace(/\/\/[^/?#\s{]{1,500}@/, "//")
    .replaceAll(/([?&])([^=?&#\s{]{1,100})=([^&#\s]*)/g, (whole, sign: string, name: string, value: string) =>
      secretName.test(name) && !value.includes("{{") ? `${sign}${name}=` : whole,
    );
  if (clean !== address) read.remark("A secret in its address is left out. Choose an account instead.");
  return clean === "" ? undefined : read.translate(clean, "url");
}

/** Whether something is sent is seen from what is sent. */
const flags = ["sendQuery", "sendHeaders", "specifyQuery", "specifyHeaders", "specifyBody", "jsonParameters"];

function readPairs(read: Reader, paths: string[], what: string): Record<string, unknown> | undefined {
  const kept = paths
    .flatMap((path) => pairsOf(read.raw(path)))
    .filter(({ name, value }) => !leavesOut(read, `${what} “${name}”`, { name, value }));
  if (kept.length === 0) return undefined;
  return Object.fromEntries(kept.map(({ name, value }) => [name, read.translate(value ?? "", `${what} ${name}`)]));
}

/** Also a text that n8n marks as an expression, as long as nothing is computed in it. */
function leavesOut(read: Reader, what: string, { name, value }: { name: string; value: unknown }): boolean {
  const isSecret = secretName.test(name) && !JSON.stringify(value ?? "").includes("{{");
  if (isSecret) read.remark(`The ${what} is left out: it may hold a secret. Choose an account instead.`);
  return isSecret;
}

function withoutSecrets(read: Reader, body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const kept = Object.entries(body).filter(([name, value]) => !leavesOut(read, `field “${name}”`, { name, value }));
  return Object.fromEntries(kept);
}

type Body = { body?: unknown; bodyType?: string };

function readBody(read: Reader): Body | Missing {
  const [json, text] = [withoutSecrets(read, readJsonText(read, "jsonBody")), read.value("body")];
  const fields = readPairs(read, ["bodyParameters.parameters"], "field");
  const type = textOf(read.raw("contentType"), "json");
  if (read.raw("sendBody") !== true) return {};
  if (type === "form-urlencoded") return { body: fields ?? text, bodyType: "form" };
  if (type === "raw") {
    const media = textOf(read.raw("rawContentType"), "text/plain");
    read.remark(`Its body is ${media}: set the header Content-Type if the service looks at it.`);
    return { body: text, bodyType: "text" };
  }
  if (type !== "json") return { missing: "HTTP request sends no files. Use the node of the service, if there is one." };
  return asJson(read, json ?? fields);
}

/** A text that is no single expression is written out by n8n, and sent as the JSON that it makes. */
function asJson(read: Reader, body: unknown): Body {
  if (typeof body !== "string" || /^\{\{(?:(?!\}\}).)*\}\}$/s.test(body)) return { body };
  read.remark("Its body is put together as text: set the header Content-Type to application/json.");
  return { body, bodyType: "text" };
}

function readOlderBody(read: Reader): Body {
  const fields = readPairs(read, ["bodyParametersUi.parameter"], "field");
  const body = withoutSecrets(read, readJsonText(read, "bodyParametersJson")) ?? fields;
  if (body === undefined) return {};
  return read.raw("options.bodyContentType") === "form-urlencoded" ? { body, bodyType: "form" } : asJson(read, body);
}

function readOptions(read: Reader) {
  const timeout = read.raw("options.timeout");
  const neverFails = read.raw("options.response.response.neverError") ?? read.raw("options.ignoreResponseCode");
  const isWhole = read.raw("options.response.response.fullResponse") ?? read.raw("options.fullResponse");
  for (const name of ["pagination", "batching", "proxy"])
    if (read.raw(`options.${name}`) !== undefined) read.remark(`The option “${name}” is left out.`);
  return {
    isWhole: isWhole === true,
    timeoutSeconds: typeof timeout === "number" ? Math.min(120, Math.max(1, Math.ceil(timeout / 1000))) : undefined,
    errorStatus: neverFails === true ? "answer" : "fail",
  };
}

const feed: Mapper = (read) => {
  read.raw("options");
  return { to: "http_read_feed", parameters: { url: readAddress(read) } };
};

export const httpNodes: Record<string, Mapper> = { httpRequest: request, rssFeedRead: feed };
