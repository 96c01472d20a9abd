export type Root = "trigger" | "nodes" | "input" | "node" | "vars";

export type ScannedExpression = {
  /** What JSONata is asked: canvas ids that are no names of JSONata are quoted. */
  jsonata: string;
  roots: ReadonlySet<Root>;
  /** Canvas ids it names. */
  nodeIds: string[];
  /** Those of them whose `item` it asks for: the one that the incoming item came from. */
  pairs: string[];
  /** Uses `$nodes` otherwise than by a fixed id, so any node may be meant. */
  usesAnyNode: boolean;
  /** Where the scan stopped: behind the last character, or at the closing braces. */
  end: number;
  isClosed: boolean;
};

// What is begun and has no end reaches to the end of the text, or it would be looked for again from every place within.
const token =
  /(?<literal>"(?:\\.?|[^"\\])*(?:"|$)|'(?:\\.?|[^'\\])*(?:'|$)|`[^`]*(?:`|$))|(?<skipped>\s+|\/\*.*?(?:\*\/|$))|(?<variable>\$[\p{L}\p{N}_$]*)|(?<name>[\p{L}\p{N}_]+)|(?<sign>.)/suy;
const nodeStep = /\s*\.\s*(?:`(?<quoted>[^`]*)`|"(?<double>[^"\\]*)"|'(?<single>[^'\\]*)'|(?<plain>[A-Za-z0-9_-]+))/y;
const itemStep = /\s*\.\s*(?:`item`|item(?![\p{L}\p{N}_]))/uy;
const isRoot = (name: string): name is Root => ["trigger", "nodes", "input", "node", "vars"].includes(name);
/** What JSONata takes for a name without quotes. */
export const plainName = /^(?!(?:and|or|in|true|false|null|function)$)[A-Za-z_][A-Za-z0-9_]*$/;
const wordOperators = new Set(["and", "or", "in"]);

/** Reads JSONata from `start` on, just enough to tell what it refers to, and where the closing `}}` of a template is. */
export function scanExpression(text: string, start = 0, isInBraces = false): ScannedExpression {
  const roots = new Set<Root>();
  const nodeIds: string[] = [];
  const pairs: string[] = [];
  let usesAnyNode = false;
  let jsonata = "";
  let end = start;
  for (const { text: read, variable = "", step } of readTokens(text, start, isInBraces)) {
    end += read.length + (step?.[0].length ?? 0);
    jsonata += read + (step ? writeNodeStep(step) : "");
    const root = variable.slice(1);
    if (isRoot(root)) roots.add(root);
    const named = step ? [nodeIdOf(step)] : [];
    nodeIds.push(...named);
    pairs.push(...(matchAt(itemStep, text, end) ? named : []));
    usesAnyNode ||= root === "nodes" && !step;
  }
  return { jsonata: jsonata.trim(), roots, nodeIds, pairs, usesAnyNode, end, isClosed: end < text.length };
}

type Token = {
  text: string;
  variable?: string | undefined;
  /** What follows `$nodes`, where that names a node. */
  step?: RegExpExecArray | null;
  isSkipped: boolean;
  /** A slash after it divides; otherwise it begins a pattern. */
  isValue: boolean;
};

function* readTokens(text: string, start: number, isInBraces: boolean): Generator<Token> {
  let at = start;
  let depth = 0;
  let isAfterValue = false;
  while (at < text.length && !(isInBraces && depth === 0 && text.startsWith("}}", at))) {
    const read = readToken(text, at, isAfterValue);
    yield read;
    at += read.text.length + (read.step?.[0].length ?? 0);
    depth += depthChange[read.text] ?? 0;
    if (!read.isSkipped) isAfterValue = read.isValue;
  }
}

function readToken(text: string, at: number, isAfterValue: boolean): Token {
  const match = matchAt(token, text, at);
  const { literal, skipped, variable, name, sign = "" } = match?.groups ?? {};
  if (sign === "/" && !isAfterValue)
    return { text: text.slice(at, endOfPattern(text, at)), isSkipped: false, isValue: true };
  const read = match?.[0] ?? "";
  const step = variable === "$nodes" ? matchAt(nodeStep, text, at + read.length) : null;
  const isValue = literal !== undefined || variable !== undefined || isValueEnd(name, sign);
  return { text: read, variable, step, isSkipped: skipped !== undefined, isValue };
}

function nodeIdOf({ groups: { quoted, double, single, plain } = {} }: RegExpExecArray): string {
  return quoted ?? double ?? single ?? plain ?? "";
}

function writeNodeStep({ 0: step, groups: { plain } = {} }: RegExpExecArray): string {
  return plain === undefined || plainName.test(plain) ? step : `.\`${plain}\``;
}

const depthChange: Record<string, number> = { "{": 1, "}": -1 };

const isValueEnd = (name: string | undefined, sign: string): boolean =>
  name === undefined ? sign === ")" || sign === "]" || sign === "}" : !wordOperators.has(name);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** As JSONata itself finds it: the next slash that is neither escaped nor within brackets. */
function endOfPattern(text: string, start: number): number {
  let depth = 0;
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") at++;
    else if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (character === "/" && depth === 0) return at + 1;
  }
  return text.length;
}
