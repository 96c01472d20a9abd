export const scrubbed = "[secret]";

/** Shorter secrets would be found by chance in ordinary text, so they only go where they are the whole text. */
const shortestInsideText = 6;

const deepestLevel = 200;

/**
 * Takes secrets out of what goes outside, by value: as they are, and in the forms in which they travel (base64 at any offset, percent
 * encoding, hexadecimal, escaped for JSON and HTML). One pass over the text, however many secrets there are. Where others are not searched,
 * each text that is as long as the shortest of them may hold one and goes as a whole: no form is shorter than its secret.
 */
export function createScrub(secrets: Iterable<string>, shortestUnsearched = Number.POSITIVE_INFINITY) {
  const values = [...new Set(secrets)].filter((secret) => secret !== "");
  const short = new Set(values.filter((secret) => secret.length < shortestInsideText));
  const find = createFinder(values.filter((secret) => !short.has(secret)).flatMap(formsOf));

  function text(given: string): string {
    if (given.length >= shortestUnsearched || short.has(given.trim())) return scrubbed;
    const spans = find(given);
    if (spans.length === 0) return given;
    let result = "";
    let copiedTo = 0;
    for (const { start, end } of spans) {
      result += given.slice(copiedTo, start) + scrubbed;
      copiedTo = end;
    }
    return result + given.slice(copiedTo);
  }

  function value(given: unknown, level = 0): unknown {
    if (typeof given === "string") return text(given);
    if (typeof given === "number" || typeof given === "bigint")
      return text(String(given)) === String(given) ? given : scrubbed;
    return typeof given === "object" && given !== null ? inside(given, level) : given;
  }

  function inside(given: object, level: number): unknown {
    if (level === deepestLevel) return "[nested too deep]";
    if (Array.isArray(given)) return given.map((entry) => value(entry, level + 1));
    return Object.fromEntries(Object.entries(given).map(([key, entry]) => [text(key), value(entry, level + 1)]));
  }

  return { text, value: (given: unknown): unknown => value(given) };
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const upperHex = hex.toUpperCase();
  const everyByte = percentForms([upperHex.replaceAll(/../g, "%$&")]);
  const escaped = isEscapedNowhere.test(secret) ? [] : escapedForms(secret);
  return [...new Set([secret, ...escaped, ...everyByte, hex, upperHex, ...base64Forms(bytes)])];
}

/** Most tokens: nothing that is written in any form below changes one of these characters. */
const isEscapedNowhere = /^[\w.-]*$/;

function escapedForms(secret: string): string[] {
  // A token from a provider may hold half of a surrogate pair, which cannot be encoded and is sent as this.
  const percent = encodeURIComponent(secret.toWellFormed());
  const strict = percent.replaceAll(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  const percents = percentForms([percent, strict, percent.replaceAll("%20", "+"), form]);
  return [...jsonForms(secret), ...htmlForms(secret), ...percents];
}

/** An address inside an address is encoded once more. */
function percentForms(once: string[]): string[] {
  const percents = [...once, ...once.map(encodeURIComponent)];
  return [...percents, ...percents.map(lowerCasePercents)];
}

function base64Forms(bytes: Buffer): string[] {
  const whole = bytes.toString("base64");
  const base64 = [...[0, 1, 2].map((offset) => base64Inside(bytes, offset)), whole];
  const encoded = base64.map(encodeURIComponent);
  return [
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    ...encoded,
    ...encoded.map(lowerCasePercents),
    whole.replace(/=+$/, ""),
    bytes.toString("base64url"),
  ];
}

type JsonWriter = {
  /** Which characters it escapes though it need not, for a class in a pattern. */
  more?: string;
  /** What others escape with a letter or a backslash alone and it in hexadecimal. */
  long?: string[];
  upperCase?: boolean;
  slashes?: boolean;
};

/** In this order: JavaScript; PHP as it is, and with what is not ASCII left; others in ASCII; Python; Go as it is and as it was; Gson; .NET; Jackson. */
const jsonWriters = [
  {},
  { slashes: true, more: "\\u0080-\\uffff" },
  { slashes: true },
  { slashes: true, more: "\\u2028\\u2029" },
  { more: "\\u0080-\\uffff" },
  { more: "\\u007f-\\uffff" },
  { more: "<>&\\u2028\\u2029" },
  { more: "<>&\\u2028\\u2029", long: ["\\b", "\\f"] },
  { more: "<>&='\\u2028\\u2029" },
  { more: "&'+<>`\\u007f-\\uffff", long: ['\\"'], upperCase: true },
  { upperCase: true },
  { more: "\\u0080-\\uffff", upperCase: true },
].map((writer: JsonWriter) => ({
  ...writer,
  pattern: new RegExp(`\\\\(?:u[0-9a-f]{4}|.)|[/${writer.more ?? ""}]`, "g"),
}));

function jsonForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return jsonWriters.map((writer) => json.replaceAll(writer.pattern, (found) => escapeAs(writer, found)));
}

function escapeAs({ long = [], upperCase, slashes }: JsonWriter, found: string): string {
  if (found === "/") return slashes ? "\\/" : found;
  if (found.length === 2 && !long.includes(found)) return found;
  const hex = found.length > 2 ? found.slice(2) : hexOf(String(JSON.parse(`"${found}"`)));
  return `\\u${upperCase ? hex.toUpperCase() : hex}`;
}

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, "0");

/** As browsers, Python, PHP, Go and writers of XML do it, and between tags, where quotes may stay. */
function htmlForms(secret: string): string[] {
  const text = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return quotesInHtml.map(([quote, apostrophe]) => text.replaceAll('"', quote).replaceAll("'", apostrophe));
}

const quotesInHtml = [
  ["&quot;", "&#39;"],
  ["&quot;", "&#x27;"],
  ["&quot;", "&#039;"],
  ["&#34;", "&#39;"],
  ["&quot;", "&apos;"],
  ['"', "'"],
] as const;

const lowerCasePercents = (form: string): string => form.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

/** The characters that depend on these bytes alone when `offset` other bytes precede them in their group of three. */
function base64Inside(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

type Span = { start: number; end: number };

const blockLength = 3;
// A table for few words is made for each call with an account; one for many words must tell them apart.
const [smallTable, largeTable] = [1 << 11, 1 << 15];
const manyWords = 200;

/** Wu and Manber's search for many words at once: it looks at the last characters of a window and skips what cannot be a beginning. */
function createFinder(words: string[]): (text: string) => Span[] {
  if (words.length === 0) return () => [];
  const windowLength = words.reduce((shortest, { length }) => Math.min(shortest, length), Number.POSITIVE_INFINITY);
  const tableSize = words.length < manyWords ? smallTable : largeTable;
  const hashBlock = (text: string, end: number) => hashOf(text, end) & (tableSize - 1);
  const shifts = new Uint16Array(tableSize).fill(Math.min(windowLength - blockLength + 1, 0xffff));
  const byLastBlock = new Map<number, string[]>();
  for (const word of [...new Set(words)].sort()) {
    for (let end = blockLength; end <= windowLength; end++) {
      const hash = hashBlock(word, end);
      shifts[hash] = Math.min(shifts[hash] ?? 0, windowLength - end);
    }
    const last = hashBlock(word, windowLength);
    const alike = byLastBlock.get(last);
    if (alike) alike.push(word);
    else byLastBlock.set(last, [word]);
  }

  return (text) => {
    const spans: Span[] = [];
    let left = mostComparisons * (text.length + 64);
    for (let end = windowLength; end <= text.length; ) {
      const hash = hashBlock(text, end);
      const shift = shifts[hash] ?? 1;
      if (shift === 0) {
        const { length, compared } = longestAt(byLastBlock.get(hash) ?? [], text, end - windowLength);
        noteMatch(spans, end - windowLength, length);
        left -= compared - length;
        if (left < 0) return [{ start: 0, end: text.length }];
      }
      end += Math.max(1, shift);
    }
    return spans;
  };
}

/** For each character of a text. A word that is all but there is compared at place after place: that is given up, and the text goes whole. */
const mostComparisons = 4;

/** How long the longest of the sorted words is that begins here. The words that are still alike are next to each other. */
function longestAt(words: string[], text: string, start: number): { length: number; compared: number } {
  let from = 0;
  let to = words.length;
  let length = 0;
  let compared = 0;
  for (; from < to; compared++) {
    if (words[from]?.length === compared) {
      length = compared;
      from++;
    }
    const code = text.charCodeAt(start + compared);
    if (Number.isNaN(code)) break;
    if (words[from]?.charCodeAt(compared) === code && words[to - 1]?.charCodeAt(compared) === code) continue;
    from = firstFrom(words, { from, to, at: compared, code });
    to = firstFrom(words, { from, to, at: compared, code: code + 1 });
  }
  return { length, compared };
}

type Range = { from: number; to: number; at: number; code: number };

/** Where in a range of sorted words that are alike before a place the character at this place is no longer less than one. */
function firstFrom(words: string[], { from, to, at, code }: Range): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle]?.charCodeAt(at) ?? 0) < code) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Matches that overlap become one, so that no part of a secret is left over at the seam of two.
function noteMatch(spans: Span[], start: number, length: number): void {
  if (length === 0) return;
  const previous = spans.at(-1);
  const end = start + length;
  if (previous && start < previous.end) previous.end = Math.max(previous.end, end);
  else spans.push({ start, end });
}

const hashOf = (text: string, end: number): number =>
  (text.charCodeAt(end - 3) << 10) ^ (text.charCodeAt(end - 2) << 5) ^ text.charCodeAt(end - 1);
