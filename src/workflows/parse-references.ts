import { rememberLatest } from "../base/remember.ts";
import { longestExpression } from "../expressions/expression-fault.ts";
import { plainName, type Root, type ScannedExpression, scanExpression } from "./scan-expression.ts";

export type Step = string | number;

/** A path of names and positions without any other JSONata. */
export type PlainPath = { root: Root; steps: Step[] };

export type Expression = Omit<ScannedExpression, "end" | "isClosed"> & {
  /** As the author wrote it, without braces. */
  source: string;
  path: PlainPath | undefined;
};

/** A text, or one expression whose value it becomes, or both in turn; `fault` where what begins with `{{` cannot be told apart. */
export type ParsedText = {
  readonly exact?: Expression;
  readonly parts: readonly (string | Expression)[];
  readonly fault?: string;
};

const longestInOneText = 50_000;

const remembered = { most: 1_000, longestText: 500 };

/** Every run of a workflow asks for the same few texts, several times each. What is told about them is never changed. */
function rememberShort<Told>(read: (text: string) => Told): (text: string) => Told {
  const readOnce = rememberLatest(remembered.most, read);
  return (text) => (text.length > remembered.longestText ? read(text) : readOnce(text));
}

const most = { references: 5000, characters: 200_000 };

/** What is wrong with having so many references on one canvas, told by counting them one by one. */
export function createReferenceCount() {
  const had = { references: 0, characters: 0 };
  return (source: string): string | undefined => {
    had.references += 1;
    had.characters += source.length;
    if (had.references <= most.references && had.characters <= most.characters) return undefined;
    return `is where there are more than ${most.references} references or ${most.characters} characters of them`;
  };
}

const name = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
const hyphenatedName = String.raw`[\p{L}_][\p{L}\p{N}_-]*`;
const place = String.raw`\[-?\d{1,9}\]`;
const pathOf = (names: string) =>
  new RegExp(
    String.raw`^\$(?:nodes\.(?:[A-Za-z0-9_-]{1,64}|\x60[^\x60]+\x60)|trigger|input|node|vars)(?:\.(?:${names}|\x60[^\x60]+\x60)|${place})*$`,
    "u",
  );
const pathInExpression = pathOf(name);
// A whole text is no arithmetic, so its hyphens belong to names.
const pathAlone = pathOf(hyphenatedName);
const step = /\[(?<position>-?\d+)\]|\x60(?<quoted>[^\x60]+)\x60|(?<name>[\p{L}\p{N}_-]+)/gu;

export const parseText = rememberShort(readText);

function readText(text: string): ParsedText {
  if (isPath(text)) return { exact: readPath(text), parts: [] };
  const parts: (string | Expression)[] = [];
  let at = 0;
  let room = longestInOneText;
  for (let open = text.indexOf("{{"); open !== -1; open = text.indexOf("{{", at)) {
    const read = readInBraces(text, open + 2);
    if (read.fault !== undefined) return { parts, fault: read.fault };
    room -= read.end - open;
    if (room < 0)
      return { parts, fault: `it stands in a text with more than ${longestInOneText} characters of references` };
    parts.push(text.slice(at, open), read.expression);
    at = read.end + 2;
  }
  parts.push(text.slice(at));
  const filled = parts.filter((part) => part !== "");
  const [only] = filled;
  return filled.length === 1 && typeof only === "object" ? { exact: only, parts: filled } : { parts: filled };
}

type ReadInBraces = { expression: Expression; end: number; fault?: undefined } | { fault: string };

function readInBraces(text: string, start: number): ReadInBraces {
  const within = text.slice(start, start + longestExpression + 2);
  const scanned = scanExpression(within, 0, true);
  if (!scanned.isClosed) return { fault: within.length > longestExpression ? tooLong : "it is not closed with }}" };
  return { expression: toExpression(within.slice(0, scanned.end).trim(), scanned), end: start + scanned.end };
}

/** Whether a text is a reference or has one in it. */
export const containsReference = (text: string): boolean => text.includes("{{") || isPath(text);

const tooLong = `it is longer than ${longestExpression} characters`;
const isPath = (text: string): boolean =>
  text.startsWith("$") && text.length <= longestExpression && pathAlone.test(text);

/** A field that is an expression as it stands, with or without braces around it. */
export const parseExpression = rememberShort(readExpression);

function readExpression(text: string): Expression {
  const source = text.trim();
  if (source.length > longestExpression)
    return { source, jsonata: source, roots: new Set(), nodeIds: [], pairs: [], usesAnyNode: false, path: undefined };
  const inBraces = source.startsWith("{{") ? parseText(source).exact : undefined;
  return inBraces ?? toExpression(source, scanExpression(source));
}

function toExpression(source: string, { jsonata, roots, nodeIds, pairs, usesAnyNode }: ScannedExpression): Expression {
  if (pathInExpression.test(source)) return readPath(source);
  return { source, jsonata, roots, nodeIds, pairs, usesAnyNode, path: undefined };
}

function readPath(source: string): Expression {
  const [, root = "", rest = ""] = /^\$(trigger|nodes|input|node|vars)(.*)$/s.exec(source) ?? [];
  const steps = [...rest.matchAll(step)].map(({ groups }) =>
    groups?.position === undefined ? (groups?.quoted ?? groups?.name ?? "") : Number(groups.position),
  );
  const nodeIds = root === "nodes" ? [String(steps[0])] : [];
  const pairs = steps[1] === "item" ? nodeIds : [];
  const path = { root: root as Root, steps };
  return { source, jsonata: writePath(path), roots: new Set([path.root]), nodeIds, pairs, usesAnyNode: false, path };
}

export const writePath = ({ root, steps }: PlainPath): string => `$${root}${steps.map(writeStep).join("")}`;

function writeStep(part: Step): string {
  if (typeof part === "number") return `[${part}]`;
  return plainName.test(part) ? `.${part}` : `.\`${part}\``;
}
