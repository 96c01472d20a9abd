import { plainName } from "../../scan-expression.ts";
import { writeCall, writeMember } from "./functions.ts";
import { type Script, unreadable } from "./javascript.ts";
import type { Names } from "./names.ts";
import { findRoot } from "./roots.ts";

const longestJsonata = 4000;

/** JSONata that means the same. Refuses where that is not certain. */
export function writeJsonata(script: Script, names: Names): string {
  const written = writePart(script, names);
  // Some parts are written twice, so a short text may become a long one.
  if (written.length > longestJsonata) throw unreadable("it would be too long as JSONata");
  return written;
}

function writePart(script: Script, names: Names): string {
  const write = (part: Script): string => writeJsonata(part, names);
  switch (script.kind) {
    case "value":
      return JSON.stringify(script.value);
    case "template":
      return writeTemplate(script.parts, write);
    case "choice":
      return `(${write(script.test)} ? ${write(script.then)} : ${write(script.otherwise)})`;
    case "unary":
      return script.operator === "!" ? `$not(${write(script.of)})` : `-${write(script.of)}`;
    case "binary":
      return writeBinary(script, write);
    case "name":
    case "member":
      return writePath(script, names) ?? writeMember(script, write);
    case "call":
      return writePath(script, names) ?? writeCall(script, write);
  }
}

function writeTemplate(parts: readonly (string | Script)[], write: (part: Script) => string): string {
  const texts = parts.map((part) => (typeof part === "string" ? JSON.stringify(part) : write(part)));
  return texts.length === 0 ? '""' : `(${texts.join(" & ")})`;
}

/** A path from something that n8n gives to every expression, or undefined. */
function writePath(script: Script, names: Names): string | undefined {
  const steps: (string | number)[] = [];
  for (let part = script; ; part = part.of) {
    const root = findRoot(part, names);
    if (root !== undefined) return root + steps.toReversed().map(writeStep).join("");
    // A property of values, which is no field of data.
    if (part.kind !== "member" || part.name === "length") return undefined;
    steps.push(part.name);
  }
}

function writeStep(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  if (plainName.test(step)) return `.${step}`;
  if (step.includes("`")) throw unreadable("a name has a backtick in it");
  return `.\`${step}\``;
}

type Binary = Extract<Script, { kind: "binary" }>;
type Write = (script: Script) => string;

const sameSign = new Set(["-", "*", "/", "%", ">", "<", ">=", "<="]);

function writeBinary(script: Binary, write: Write): string {
  const { operator, left, right } = script;
  const [one, other] = [write(left), write(right)];
  if (operator === "+") return writeSum(script, one, other);
  if (sameSign.has(operator)) return `(${one} ${operator} ${other})`;
  switch (operator) {
    case "&&":
      return `(${one} ? ${other} : ${one})`;
    case "||":
      return `(${one} ? ${one} : ${other})`;
    case "??":
      return `(${one} != null ? ${one} : ${other})`;
    case "==":
    case "===":
      return writeSame(script, one, other);
    default:
      return `$not(${writeSame(script, one, other)})`;
  }
}

const isNothing = (script: Script): boolean => script.kind === "value" && script.value === null;

/** Nothing is the same as nothing, which JSONata has otherwise. */
function writeSame({ left, right }: Binary, one: string, other: string): string {
  if (isNothing(right)) return `$not(${one} != null)`;
  if (isNothing(left)) return `$not(${other} != null)`;
  return `(${one} = ${other})`;
}

/** JavaScript decides by the data whether it adds or joins. */
function writeSum({ left, right }: Binary, one: string, other: string): string {
  if (isText(left) || isText(right)) return `(${one} & ${other})`;
  if (isNumber(left) || isNumber(right)) return `(${one} + ${other})`;
  throw unreadable("whether + adds numbers or joins texts depends on the data");
}

function isText(script: Script): boolean {
  if (script.kind === "template") return true;
  if (script.kind === "value") return typeof script.value === "string";
  return script.kind === "binary" && script.operator === "+" && isTextSum(script);
}

/** A long sum is asked about at each of its signs. */
const textSums = new WeakMap<Binary, boolean>();

function isTextSum(script: Binary): boolean {
  const known = textSums.get(script) ?? (isText(script.left) || isText(script.right));
  textSums.set(script, known);
  return known;
}

function isNumber(script: Script): boolean {
  if (script.kind === "value") return typeof script.value === "number";
  return script.kind === "binary" && ["-", "*", "/", "%"].includes(script.operator);
}
