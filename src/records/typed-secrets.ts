import { createScrub } from "../base/scrub.ts";

export type Scrub = ReturnType<typeof createScrub>;

/** Secrets of connected accounts that a text holds. */
export type FindStored = (text: string) => string[];
export type FindStoredOf = (organizationId: string) => Promise<FindStored>;

/** What a record leaves out of a call because its caller typed a secret into it; undefined when there is none. */
export function scrubOfCall(parameters: unknown, findStored: FindStored = () => []): Scrub | undefined {
  const secrets = createSecrets();
  collect(parameters, { secrets, findStored, names: new Map(), isSecret: false, level: 0 });
  return secrets.toScrub();
}

/** The same, looked for once in a call that is recorded when it begins and when it ends. */
export function createScrubs(findStoredOf: FindStoredOf) {
  const known = new WeakMap<object, Promise<Scrub | undefined>>();
  const search = async ({ organizationId, parameters }: Recorded) =>
    scrubOfCall(parameters, await findStoredOf(organizationId));
  return (call: Recorded): Promise<Scrub | undefined> => {
    const scrub = known.get(call) ?? search(call);
    known.set(call, scrub);
    // Whoever repeats the call asks again.
    scrub.catch(() => known.delete(call));
    return scrub;
  };
}

type Recorded = { organizationId: string; parameters?: unknown };

/** What is searched by value: each has dozens of forms, and a record is not worth seconds. The others hide whole texts. */
const mostSearched = 200;
const longestSecretSearched = 4 * 1024;
const mostCharactersSearched = 64 * 1024;
/** One so short only hides a text that is nothing else, which costs nothing. */
const shortestInsideText = 6;

type Secrets = ReturnType<typeof createSecrets>;

function createSecrets() {
  const short = new Set<string>();
  const searched = new Set<string>();
  let characters = 0;
  let shortestUnsearched = Number.POSITIVE_INFINITY;

  function add(secret: string): void {
    if (secret.length < shortestInsideText) short.add(secret);
    else if (
      searched.size < mostSearched &&
      secret.length <= Math.min(longestSecretSearched, mostCharactersSearched - characters)
    ) {
      if (!searched.has(secret)) characters += secret.length;
      searched.add(secret);
    } else if (secret.length < shortestUnsearched && !searched.has(secret)) shortestUnsearched = secret.length;
  }

  return {
    add,
    addAll(all: Iterable<string>): void {
      for (const secret of all) add(secret);
    },
    toScrub: (): Scrub | undefined =>
      short.size + searched.size === 0 && shortestUnsearched === Number.POSITIVE_INFINITY
        ? undefined
        : createScrub([...short, ...searched], shortestUnsearched),
  };
}

type Walk = {
  secrets: Secrets;
  findStored: FindStored;
  /** Which names are for secrets, as far as they were met: lists repeat the same ones. */
  names: Map<string, boolean>;
  /** Whether the field above is one for secrets. */
  isSecret: boolean;
  level: number;
};

/** What is nested deeper is not recorded. */
const deepestLevel = 200;
/** Of longer texts that are no JSON only the beginning is searched: they are documents, and a record is not worth seconds. */
const longestSearched = 64 * 1024;
/** As in `pin=1`. */
const shortestSearched = 5;

function collect(value: unknown, walk: Walk): void {
  if (typeof value === "string") collectFromText(value, walk);
  else if (typeof value === "number") collectFromNumber(String(value), walk);
  else if (typeof value === "object" && value !== null && walk.level < deepestLevel) collectInside(value, walk);
}

function collectFromNumber(digits: string, { secrets, findStored, isSecret }: Walk): void {
  if (isSecret) secrets.add(digits);
  else secrets.addAll(findStored(digits));
}

function collectInside(value: object, walk: Walk): void {
  const below = { ...walk, level: walk.level + 1 };
  if (Array.isArray(value)) for (const entry of value) collect(entry, below);
  else
    for (const [name, entry] of Object.entries(value))
      collect(entry, isKnownSecretName(name, walk.names) ? { ...below, isSecret: true } : below);
}

function isKnownSecretName(name: string, names: Map<string, boolean>): boolean {
  const known = names.get(name) ?? isSecretName(name);
  names.set(name, known);
  return known;
}

function collectFromText(whole: string, walk: Walk): void {
  const { secrets } = walk;
  if (walk.isSecret) secrets.addAll(partsOf(whole));
  secrets.addAll(walk.findStored(whole));
  if (whole.length < shortestSearched) return;
  const text = whole.slice(0, longestSearched);
  for (const [secret] of matchesOf(text, knownForms)) secrets.add(secret);
  for (const [rest, first = ""] of matchesOf(text, signedTokens)) secrets.add(first + rest);
  for (const [, scheme = "", given = ""] of matchesOf(text, schemes)) secrets.addAll(partsOf(`${scheme} ${given}`));
  for (const [, login = ""] of matchesOf(text, logins)) secrets.addAll([decode(login), login]);
  for (const [, name = "", given = ""] of matchesOf(text, fields))
    if (isSecretName(decode(name))) secrets.addAll([decode(given), given]);
  if (/^\s*[[{]/.test(text)) collect(parse(whole), { ...walk, level: walk.level + 1 });
}

/** Most texts have none, and a call may have a million texts: a search costs a fraction of what `matchAll` needs to begin. */
const matchesOf = (text: string, form: RegExp): Iterable<RegExpExecArray> =>
  text.search(form) === -1 ? [] : text.matchAll(form);

const longestTaken = 100_000;

/** `Bearer abc` is sent as a whole, but `abc` is what must not be read; so is the password in `Basic` and what a cookie is set to. */
function* partsOf(text: string): Iterable<string> {
  const whole = text.trim();
  const scheme = /^(?:bearer|basic|token|apikey|bot)\s/i.exec(whole)?.[0] ?? "";
  // Not by the pattern: one that takes millions of blanks in one go runs out of its stack.
  const given = whole.slice(scheme.length).trimStart();
  yield* [whole, given].filter((part) => part !== "");
  // A pattern that takes a very long text in one go runs out of its stack; such a text is left out whole anyway.
  if (given.length <= longestTaken && given.includes("=") && /[;,]|^[\w-]+=[^=]/.test(given))
    for (const [, value = ""] of given.matchAll(/=\s*"?([^;,"\s]+)/g)) yield value;
  if (!/^basic\s/i.test(whole)) return;
  const login = Buffer.from(given, "base64").toString();
  yield* [login, login.slice(login.indexOf(":") + 1)].filter((part) => part !== "");
}

/** Names may have megabytes too, of which the last words tell. */
const longestNameRead = 200;

/** By its last words, so that `maxTokens`, `pageToken` and `issueKey` are none. */
function isSecretName(name: string): boolean {
  const words = name
    .slice(-longestNameRead)
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
  ...[
    "authorization",
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "pass",
    "secret",
    "cookie",
    "apikey",
    "accesskey",
  ],
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
const placeTokens = new Set([
  "page",
  "next",
  "previous",
  "sync",
  "continuation",
  "cursor",
  "resume",
  "start",
  "progress",
]);

/** Keys and tokens whose makers gave them a form that is found anywhere. All of these expressions take time linear in the text. */
const knownForms =
  /\b(?:swy_[\w-]{16,}|sk-[\w-]{20,}|[rs]k_(?:live|test)_\w{16,}|whsec_[\w+/=-]{16,}|gh[oprsu]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|xapp-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,})/g;
/** Begun at the first dot: from each `eyJ` on, a text full of them would be read to its end again and again. */
const signedTokens = /(?<=\b(eyJ[\w-]{8,}))\.eyJ[\w-]{8,}\.[\w-]{8,}/g;
const schemes = /\b(bearer|basic)\s+([\w.~+/-]{8,}=*)/gi;
const logins = /:\/\/[^\s/:@]*:([^\s/@]+)@/g;
const fields = /(?:^|[?&;\s])([\w%.~-]{1,60})=([^&;#\s"']+)/g;

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
