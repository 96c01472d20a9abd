import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const sources = globSync("src/**/*.ts", { cwd: root, exclude: ["**/node_modules/**"] }).filter(
  (file) => !file.endsWith(".test.ts"),
);

/** What a message may end with that is no text here: a sentence of its own, or an address, which a full stop would become a part of. */
const ends = /(?:message|advice|lookFirst|others|choice|quote\(words\)|addressIn\([^)]*\))$/i;

it("every message of a refusal ends a sentence", () => {
  const found = sources.flatMap((file) =>
    messagesIn(readFileSync(path.join(root, file), "utf8")).map((message) => ({ file, message })),
  );
  expect(found.length).toBeGreaterThan(200);
  expect(found.filter(({ message }) => !endsSentence(message))).toEqual([]);
});

it("a message without a full stop is noticed", () => {
  const texts = ['"No"', "`No $" + "{name}`", 'isOne ? "Yes." : "No"'];
  const refusals = texts.map((text) => `throw new Refusal("not_found", ${text}, { more: "x" });`).join("\n");
  const messages = messagesIn(`${refusals}\nthrow new Refusal("conflict", "Not, \\"so\\".");`);
  expect(messages).toHaveLength(5);
  expect(messages.filter((message) => !endsSentence(message))).toEqual([texts[0], texts[1], '"No"']);
});

/** The second argument of each refusal; of a choice, both. */
function messagesIn(source: string): string[] {
  return [...source.matchAll(/new Refusal\(/g)].flatMap(({ 0: { length }, index }) => {
    const [, message = ""] = splitAt(source.slice(index + length), [","]);
    const parts = splitAt(message, ["?", ":"]);
    return (parts.length > 2 ? parts.slice(1) : parts).map((part) => part.trim()).filter((part) => /^["`]/.test(part));
  });
}

function endsSentence(message: string): boolean {
  const inside = message.slice(1, -1);
  return /[.?!…]"?$/.test(inside) || (inside.endsWith("}") && ends.test(inside.slice(0, -1)));
}

/** Splits code where it is not inside brackets or texts, up to the bracket that closes what is around it. */
function splitAt(code: string, separators: string[]): string[] {
  const parts: string[] = [];
  const open: string[] = [];
  let start = 0;
  for (let at = 0; at < code.length; at = after(code, at, open)) {
    const character = code[at] ?? "";
    if (open.length > 0) continue;
    if (")]}".includes(character)) return [...parts, code.slice(start, at)];
    if (!separators.includes(character)) continue;
    parts.push(code.slice(start, at));
    start = at + 1;
  }
  return [...parts, code.slice(start)];
}

const quotes = "\"'`";

/** Where the next character is, and what is open there. */
function after(code: string, at: number, open: string[]): number {
  const character = code[at] ?? "";
  const within = open.at(-1) ?? "";
  if (character === "\\") return at + 2;
  if (within !== "" && quotes.includes(within)) return afterInText(code, at, open);
  if (`${quotes}([{`.includes(character)) open.push(character);
  if (")]}".includes(character)) open.pop();
  return at + 1;
}

function afterInText(code: string, at: number, open: string[]): number {
  const isInserted = open.at(-1) === "`" && code.startsWith("${", at);
  if (isInserted) open.push("{");
  else if (code[at] === open.at(-1)) open.pop();
  return isInserted ? at + 2 : at + 1;
}
