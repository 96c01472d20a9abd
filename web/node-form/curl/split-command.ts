/** The words of a command as a shell takes them apart, or what of it only a shell could know. */
export type SplitCommand = { words: string[] } | { fault: string };

const oneCommand = "Paste one curl command alone, without |, ; or > around it. An address with & in it needs quotes.";

/** Quotes, escapes and lines that go on, as bash has them. Nothing is expanded. */
export function splitCommand(text: string): SplitCommand {
  const words: string[][] = [[]];
  let rest = text.trim();
  while (rest !== "") {
    const read = readPart(rest);
    if (!read) return { fault: faultOf(rest) };
    rest = rest.slice(read.length);
    if (read.text === undefined) words.push([]);
    else words.at(-1)?.push(read.text);
  }
  return { words: words.filter((parts) => parts.length > 0).map((parts) => parts.join("")) };
}

/** The text that a part adds to its word; without one a word ends. */
function readPart(rest: string): { text: string | undefined; length: number } | undefined {
  for (const { pattern, read } of parts) {
    const match = pattern.exec(rest);
    if (match) return { text: read(match[1] ?? ""), length: match[0].length };
  }
  return undefined;
}

function faultOf(rest: string): string {
  const [, variable] = /^"?[^"]*?(\$[A-Za-z_{(][\w]*)/.exec(rest) ?? [];
  if (variable !== undefined && !/^[|;&<>]/.test(rest))
    return `${variable} is only known to your shell. Write its value in its place.`;
  if (/^["'$]/.test(rest)) return "A quotation mark has no end.";
  if (rest.startsWith("^")) return "This is the form for Windows. Copy it as cURL (bash).";
  return oneCommand;
}

type Part = { pattern: RegExp; read: (inside: string) => string | undefined };

const parts: Part[] = [
  // Also between lines, where the command goes on.
  { pattern: /^(?:\s|\\\r?\n)+/, read: () => undefined },
  { pattern: /^\$'((?:\\[\s\S]|[^'\\])*)'/, read: readEscapes },
  { pattern: /^'([^']*)'/, read: (inside) => inside },
  {
    // Neither a variable nor a command inside.
    pattern: /^"((?:\\[\s\S]|\$(?![A-Za-z_{(])|[^"\\$`])*)"/,
    read: (inside) => inside.replaceAll(/\\(\r?\n)/g, "").replaceAll(/\\(["\\$`])/g, "$1"),
  },
  { pattern: /^\\([^\r\n])/, read: (inside) => inside },
  { pattern: /^((?:\$(?![A-Za-z_{('])|[^\s'"\\|;&<>`$^])+)/, read: (inside) => inside },
];

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", "0": "\0" };

/** As browsers copy texts with line breaks or letters beyond ASCII. */
function readEscapes(inside: string): string {
  return inside.replaceAll(
    /\\(?:u([0-9a-fA-F]{1,4})|x([0-9a-fA-F]{1,2})|([\s\S]))/g,
    (_, unicode?: string, hex?: string, letter: string = "") => {
      const code = unicode ?? hex;
      return code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16));
    },
  );
}
