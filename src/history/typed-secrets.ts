import { createScrub } from "../base/scrub.ts";

export type Scrub = ReturnType<typeof createScrub>;

/** What a record leaves out of a call because its caller typed a secret into it; undefined when there is none. */
export function scrubOfCall(parameters: unknown): Scrub | undefined {
  const secrets = new Set<string>();
  collect(parameters, { secrets, isSecret: false, level: 0 });
  return secrets.size === 0 ? undefined : createScrub(secrets);
}

/** The same, looked for once in a call that is recorded when it begins and when it ends. */
export function createScrubs(): (call: { parameters?: unknown }) => Scrub | undefined {
  const known = new WeakMap<object, { scrub: Scrub | undefined }>();
  return (call) => {
    const found = known.get(call) ?? { scrub: scrubOfCall(call.parameters) };
    known.set(call, found);
    return found.scrub;
  };
}

type Walk = {
  secrets: Set<string>;
  /** Whether the field above is one for secrets. */
  isSecret: boolean;
  level: number;
};

const deepestLevel = 100;
/** Of longer texts only the beginning is searched: they are documents, and a record is not worth seconds. */
const longestSearched = 64 * 1024;

function collect(value: unknown, walk: Walk): void {
  if (typeof value === "string") collectFromText(value, walk);
  else if (typeof value === "number" && walk.isSecret) walk.secrets.add(String(value));
  if (typeof value !== "object" || value === null || walk.level === deepestLevel) return;
  const isNamed = !Array.isArray(value);
  for (const [name, entry] of Object.entries(value))
    collect(entry, { ...walk, isSecret: walk.isSecret || (isNamed && isSecretName(name)), level: walk.level + 1 });
}

function collectFromText(whole: string, { secrets, isSecret, level }: Walk): void {
  if (isSecret) for (const secret of partsOf(whole)) secrets.add(secret);
  const text = whole.slice(0, longestSearched);
  for (const [secret] of text.matchAll(knownForms)) secrets.add(secret);
  for (const [, scheme = "", given = ""] of text.matchAll(schemes)) for (const secret of partsOf(`${scheme} ${given}`)) secrets.add(secret);
  for (const [, login = ""] of text.matchAll(logins)) secrets.add(decode(login)).add(login);
  for (const [, name = "", given = ""] of text.matchAll(fields)) if (isSecretName(decode(name))) secrets.add(decode(given)).add(given);
  if (/^\s*[[{]/.test(text)) collect(parse(text), { secrets, isSecret, level: level + 1 });
}

/** `Bearer abc` is sent as a whole, but `abc` is what must not be read; so is the password in `Basic` and what a cookie is set to. */
function partsOf(text: string): string[] {
  const given = text.trim().replace(/^(?:bearer|basic|token|apikey|bot)\s+/i, "");
  const values =
    given.includes("=") && /[;,]|^[\w-]+=[^=]/.test(given) ? [...given.matchAll(/=\s*"?([^;,"\s]+)/g)].map(([, value]) => value ?? "") : [];
  const login = /^basic\s/i.test(text.trim()) ? Buffer.from(given, "base64").toString() : "";
  return [text.trim(), given, ...values, login, login.slice(login.indexOf(":") + 1)].filter((part) => part !== "");
}

/** By its last words, so that `maxTokens`, `pageToken` and `issueKey` are none. */
function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const last = words.at(-1) ?? "";
  const before = words.at(-2) ?? "";
  if (last === "key") return keyKinds.has(before);
  if (last === "token") return !placeTokens.has(before);
  return secretWords.has(last);
}

const secretWords = new Set([
  ...["authorization", "password", "passwd", "passphrase", "passcode", "pwd", "pass", "secret", "cookie", "apikey", "accesskey"],
  ...["secretkey", "privatekey", "authtoken", "accesstoken", "refreshtoken", "jwt", "bearer", "otp", "pin"],
]);
const keyKinds = new Set([
  "api",
  "access",
  "secret",
  "private",
  "auth",
  "app",
  "client",
  "signing",
  "encryption",
  "subscription",
  "master",
]);
/** Where in a list one is, which is no secret. */
const placeTokens = new Set(["page", "next", "previous", "sync", "continuation", "cursor", "resume", "start", "progress"]);

/** Keys and tokens whose makers gave them a form that is found anywhere. */
const knownForms =
  /\b(?:swy_[\w-]{16,}|sk-[\w-]{20,}|[rs]k_(?:live|test)_\w{16,}|whsec_[\w+/=-]{16,}|gh[oprsu]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|xapp-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,})/g;
const schemes = /\b(bearer|basic)\s+([\w.~+/-]{8,}=*)/gi;
const logins = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/gi;
const fields = /(?:^|[?&;\s])([\w%.~-]{1,60})=([^&;#\s"']{1,4096})/g;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
