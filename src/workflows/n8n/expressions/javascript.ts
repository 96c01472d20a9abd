import { Refusal } from "../../../base/refusal.ts";

/** As much of JavaScript as an expression of n8n usually has. Nothing here runs any of it. */
export type Script =
  | { kind: "value"; value: string | number | boolean | null }
  | { kind: "name"; name: string }
  | { kind: "member"; of: Script; name: string | number }
  | { kind: "call"; callee: Script; inputs: Script[] }
  | { kind: "unary"; operator: string; of: Script }
  | { kind: "binary"; operator: string; left: Script; right: Script }
  | { kind: "choice"; test: Script; then: Script; otherwise: Script }
  | { kind: "template"; parts: (string | Script)[] };

/** Why a text cannot be read, for people. */
export const unreadable = (reason: string): Refusal => new Refusal("validation_failed", reason);

const longestScript = 2000;
const deepest = 40;

type Token = { kind: "text" | "template" | "number" | "name" | "sign" | "end"; text: string };

const token =
  /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<name>[A-Za-z_$][\w$]*)|(?<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?<template>`(?:\\.|[^`\\])*`)|(?<sign>===|!==|==|!=|>=|<=|&&|\|\||\?\?|\?\.|=>|[-+*/%()[\].,?:!<>]))/y;

function readTokens(source: string): Token[] {
  const tokens: Token[] = [];
  const text = source.trimEnd();
  for (let at = 0; at < text.length; ) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (!match) throw unreadable(`“${text.slice(at).trim().slice(0, 20)}” is not read`);
    const [kind, read = ""] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? ["end"];
    tokens.push({ kind: kind as Token["kind"], text: read });
    at = token.lastIndex;
  }
  return [...tokens, { kind: "end", text: "the end" }];
}

/** Lowest first. All of them lead from left to right. */
const levels = [
  ["??"],
  ["||"],
  ["&&"],
  ["===", "!==", "==", "!="],
  [">=", "<=", ">", "<"],
  ["+", "-"],
  ["*", "/", "%"],
];

export function readScript(source: string): Script {
  if (source.length > longestScript) throw unreadable(`it is longer than ${longestScript} characters`);
  const state: State = { tokens: readTokens(source), at: 0, depth: 0 };
  const script = readChoice(state);
  if (peek(state).kind !== "end") throw unreadable(`“${peek(state).text}” is not read`);
  return script;
}

type State = { tokens: Token[]; at: number; depth: number };

const peek = ({ tokens, at }: State): Token => tokens[at] ?? { kind: "end", text: "the end" };

function take(state: State, sign: string): boolean {
  const { kind, text } = peek(state);
  if (kind !== "sign" || text !== sign) return false;
  state.at += 1;
  return true;
}

function demand(state: State, sign: string): void {
  if (take(state, sign)) return;
  if (peek(state).text === "=>") throw unreadable("functions are not read");
  throw unreadable(`“${sign}” is missing before “${peek(state).text}”`);
}

function readChoice(state: State): Script {
  state.depth += 1;
  if (state.depth > deepest) throw unreadable("it is nested too deep");
  const test = readLevel(state, 0);
  let script = test;
  if (take(state, "?")) {
    const then = readChoice(state);
    demand(state, ":");
    script = { kind: "choice", test, then, otherwise: readChoice(state) };
  }
  state.depth -= 1;
  return script;
}

function readLevel(state: State, level: number): Script {
  const signs = levels[level];
  if (!signs) return readUnary(state);
  let left = readLevel(state, level + 1);
  for (;;) {
    const operator = signs.find((sign) => take(state, sign));
    if (operator === undefined) return left;
    left = { kind: "binary", operator, left, right: readLevel(state, level + 1) };
  }
}

function readUnary(state: State): Script {
  state.depth += 1;
  if (state.depth > deepest) throw unreadable("it is nested too deep");
  const operator = ["!", "-"].find((sign) => take(state, sign));
  const script: Script =
    operator === undefined ? readMembers(state) : { kind: "unary", operator, of: readUnary(state) };
  state.depth -= 1;
  return script;
}

function readMembers(state: State): Script {
  let script = readValue(state);
  for (;;) {
    if (take(state, ".") || take(state, "?.")) {
      const { kind, text } = peek(state);
      if (kind !== "name") throw unreadable(`a name is missing before “${text}”`);
      state.at += 1;
      script = { kind: "member", of: script, name: text };
    } else if (take(state, "[")) script = { kind: "member", of: script, name: readIndex(state) };
    else if (take(state, "(")) script = { kind: "call", callee: script, inputs: readInputs(state) };
    else return script;
  }
}

function readIndex(state: State): string | number {
  const { kind, text } = peek(state);
  if (kind !== "text" && kind !== "number") throw unreadable("only fixed names and numbers are read in [ ]");
  state.at += 1;
  demand(state, "]");
  return kind === "number" ? Number(text) : unquote(text);
}

function readInputs(state: State): Script[] {
  const inputs: Script[] = [];
  while (!take(state, ")")) {
    if (inputs.length > 0) demand(state, ",");
    inputs.push(readChoice(state));
  }
  return inputs;
}

const words = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["undefined", null],
]);

function readValue(state: State): Script {
  const { kind, text } = peek(state);
  state.at += 1;
  if (kind === "number") return { kind: "value", value: Number(text) };
  if (kind === "text") return { kind: "value", value: unquote(text) };
  if (kind === "template") return { kind: "template", parts: readTemplate(text.slice(1, -1)) };
  if (kind === "name")
    return words.has(text) ? { kind: "value", value: words.get(text) ?? null } : { kind: "name", name: text };
  state.at -= 1;
  if (!take(state, "(")) throw unreadable(`“${text}” is not read`);
  const script = readChoice(state);
  demand(state, ")");
  return script;
}

/** Expressions in a template have no braces of their own in what is read here. */
function readTemplate(text: string): (string | Script)[] {
  const parts: (string | Script)[] = [];
  let at = 0;
  for (const match of text.matchAll(/\$\{([^{}]*)\}/g)) {
    parts.push(withoutEscapes(text.slice(at, match.index)), readScript(match[1] ?? ""));
    at = match.index + match[0].length;
  }
  const rest = text.slice(at);
  if (rest.includes("${")) throw unreadable("a part of the template is not read");
  return [...parts, withoutEscapes(rest)].filter((part) => part !== "");
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r" };
const unquote = (text: string): string => withoutEscapes(text.slice(1, -1));
const withoutEscapes = (text: string): string =>
  text.replaceAll(/\\(.)/gs, (_whole, letter: string) => {
    if (letter === "u" || letter === "x") throw unreadable("escapes such as \\u0041 are not read");
    return escapes[letter] ?? letter;
  });
