import { type CurlOptions, readOptions } from "./read-options.ts";
import { splitCommand } from "./split-command.ts";

/** What of an HTTP request node a curl command says. */
export type CurlParameters = {
  method?: string;
  url: string;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  body?: unknown;
  bodyType?: "text" | "form";
  timeoutSeconds?: number;
};

export type ReadCurl =
  | { fault: string }
  | {
      parameters: CurlParameters;
      /** Where a secret was found; it is not among the parameters. */
      secrets: string[];
      /** What to know, in sentences. */
      notes: string[];
    };

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
const secretHeader = /^(authorization|proxy-authorization|cookie|.*(api-?key|token|secret|password).*)$/i;
const secretName = /(^|[_-])(api_?key|key|token|secret|password|signature)$/i;

/** The request that a command would send. Nothing is guessed: what cannot be read is told, and so is what is left out. */
export function readCurl(text: string): ReadCurl {
  const split = splitCommand(text);
  if ("fault" in split) return split;
  const [program, ...words] = split.words;
  if (program !== "curl") return { fault: "It does not begin with curl." };
  const options = readOptions(words);
  if ("fault" in options) return options;
  return readRequest(options);
}

function readRequest(options: CurlOptions): ReadCurl {
  const address = readAddress(options.urls);
  const sent = options.isInQuery ? readQuery(options) : readBody(options);
  if ("fault" in address) return address;
  if ("fault" in sent) return sent;
  const { isJson = false, notes, ...body } = sent;
  const method = options.method ?? (body.body === undefined ? "GET" : "POST");
  const fault = faultOfMethod(method, body.body);
  if (fault !== undefined) return { fault };
  const { headers, secrets } = readHeaders(options, isJson);
  return {
    parameters: {
      ...(method === "GET" ? {} : { method }),
      url: address.url,
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...body,
      ...timeoutOf(options),
    },
    secrets: [...address.secrets, ...secrets, ...(options.user === undefined ? [] : ["a user name and password (-u)"])],
    notes: [...address.notes, ...notes, ...remarksOn(options, { ...body, url: address.url })],
  };
}

function faultOfMethod(method: string, body: unknown): string | undefined {
  if (!methods.includes(method)) return `The method ${method} is not one of ${methods.join(", ")}.`;
  return body !== undefined && (method === "GET" || method === "HEAD")
    ? `A body cannot be sent with ${method}.`
    : undefined;
}

type Address = { url: string; secrets: string[]; notes: string[] };

function readAddress(urls: string[]): Address | { fault: string } {
  const [given, ...more] = urls;
  if (given === undefined) return { fault: "It has no address." };
  if (more.length > 0) return { fault: `It has more than one address: ${more[0]} is the second.` };
  const hasScheme = /^[a-z]+:\/\//i.test(given);
  const url = URL.parse(hasScheme ? given : `http://${given}`);
  if (!url || !/^https?:$/.test(url.protocol)) return { fault: `${given} is no http(s) address.` };
  if (/[{}]/.test(given)) return { fault: "The address has { or }, which curl takes for several addresses." };
  const secrets = url.username === "" ? [] : ["a user name and password in the address"];
  const written = hasScheme ? given : `http://${given}`;
  const notes = hasScheme ? [] : ["The address names no scheme, so it is http, as curl has it."];
  const names = [...url.searchParams.keys()].filter((name) => secretName.test(name));
  if (names.length > 0)
    notes.push(
      `The address has ${names.join(", ")} in it. If that is a secret, an account of the kind query keeps it.`,
    );
  return { url: written.replace(/^(https?:\/\/)[^/?#]*@/i, "$1"), secrets, notes };
}

type Sent = Pick<CurlParameters, "query" | "body" | "bodyType"> & { isJson?: boolean; notes: string[] };

function readQuery({ data }: CurlOptions): Sent | { fault: string } {
  const pairs = joinData(data);
  return "fault" in pairs ? pairs : { query: toRecord(pairs.text), notes: [] };
}

function readBody({ data, headers }: CurlOptions): Sent | { fault: string } {
  if (data.length === 0) return { notes: [] };
  const joined = joinData(data);
  if ("fault" in joined) return joined;
  const { text } = joined;
  const given = headers.findLast(([name]) => name.toLowerCase() === "content-type")?.[1];
  const type =
    given ?? (data.some(({ kind }) => kind === "json") ? "application/json" : "application/x-www-form-urlencoded");
  if (/[/+]json\b/i.test(type)) return readJsonBody(text);
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) return { body: text, bodyType: "text", notes: [] };
  if (/^\s*[[{]/.test(text) || !text.split("&").every((pair) => pair.includes("=")))
    return {
      body: text,
      bodyType: "text",
      notes: ["curl sends this body as a form, although it does not look like one. If the service wants JSON, say so."],
    };
  return { body: toRecord(text), bodyType: "form", notes: [] };
}

function readJsonBody(text: string): Sent {
  try {
    return { body: JSON.parse(text) as unknown, isJson: true, notes: [] };
  } catch {
    return { body: text, bodyType: "text", notes: ["The body is not valid JSON, so it is sent as the text it is."] };
  }
}

function joinData(data: CurlOptions["data"]): { text: string } | { fault: string } {
  const file = data.find(({ kind, text }) => /^@/.test(text) || (kind === "urlencode" && /^[^=]*@/.test(text)));
  if (file) return { fault: `${file.text} is a file of your machine. Put what is in it into the command.` };
  const isJson = data.some(({ kind }) => kind === "json");
  return { text: data.map((one) => (one.kind === "urlencode" ? encode(one.text) : one.text)).join(isJson ? "" : "&") };
}

function encode(text: string): string {
  const at = text.indexOf("=");
  return at === -1
    ? encodeURIComponent(text)
    : `${text.slice(0, at + 1)}${encodeURIComponent(text.slice(at + 1))}`.replace(/^=/, "");
}

/** A name that is there twice becomes a list. */
function toRecord(text: string): Record<string, unknown> {
  const pairs = [...new URLSearchParams(text)];
  return Object.fromEntries(
    [...Map.groupBy(pairs, ([name]) => name)].map(([name, entries]) => [
      name,
      entries.length === 1 ? entries[0]?.[1] : entries.map(([, value]) => value),
    ]),
  );
}

function readHeaders(
  { headers }: CurlOptions,
  isJson: boolean,
): { headers: Record<string, string>; secrets: string[] } {
  const isSet = ([name, value]: [string, string]) =>
    isJson && name.toLowerCase() === "content-type" && /^application\/json\s*(;\s*charset=utf-8)?$/i.test(value);
  const own = headers.filter((entry) => !isSet(entry));
  return {
    headers: Object.fromEntries(own.filter(([name]) => !secretHeader.test(name))),
    secrets: own.filter(([name]) => secretHeader.test(name)).map(([name]) => `the header ${name}`),
  };
}

function timeoutOf({ timeoutSeconds }: CurlOptions): { timeoutSeconds?: number } {
  if (timeoutSeconds === undefined || !Number.isFinite(timeoutSeconds)) return {};
  return { timeoutSeconds: Math.min(120, Math.max(1, Math.round(timeoutSeconds))) };
}

function remarksOn({ ignored, headers }: CurlOptions, sent: object): string[] {
  const left =
    ignored.length === 0 ? [] : [`Left out, because it changes nothing here: ${[...new Set(ignored)].join(", ")}.`];
  const hasBraces = JSON.stringify([headers, sent]).includes("{{");
  return hasBraces ? [...left, "It has {{ in it, which is a reference here. Check those places."] : left;
}
