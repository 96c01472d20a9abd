import { type Script, unreadable } from "./javascript.ts";

type Write = (script: Script) => string;
type Call = Extract<Script, { kind: "call" }>;
/** The value that a method is called on, and what is handed to it, as JSONata. */
type Method = (on: string, inputs: string[]) => string;

const text =
  (name: string): Method =>
  (on) =>
    `$${name}(${on})`;

const methods = new Map<string, { inputs: number[]; write: Method }>([
  ["toUpperCase", { inputs: [0], write: text("uppercase") }],
  ["toLowerCase", { inputs: [0], write: text("lowercase") }],
  ["trim", { inputs: [0], write: text("trim") }],
  ["toString", { inputs: [0], write: text("string") }],
  ["toJsonString", { inputs: [0], write: text("string") }],
  ["toNumber", { inputs: [0], write: text("number") }],
  ["split", { inputs: [1], write: (on, [by]) => `$split(${on}, ${by})` }],
  ["join", { inputs: [0, 1], write: (on, [by = '","']) => `$join(${on}, ${by})` }],
  ["replaceAll", { inputs: [2], write: (on, [from, to]) => `$replace(${on}, ${from}, ${to})` }],
  ["replace", { inputs: [2], write: (on, [from, to]) => `$replace(${on}, ${from}, ${to}, 1)` }],
  ["startsWith", { inputs: [1], write: (on, [part]) => `($substring(${on}, 0, $length(${part})) = ${part})` }],
  [
    "endsWith",
    { inputs: [1], write: (on, [part]) => `($substring(${on}, $length(${on}) - $length(${part})) = ${part})` },
  ],
  [
    "includes",
    { inputs: [1], write: (on, [part]) => `($type(${on}) = "string" ? $contains(${on}, ${part}) : ${part} in ${on})` },
  ],
]);

const functions = new Map<string, { inputs: number[]; write: (inputs: string[]) => string }>([
  ["Number", { inputs: [1], write: ([value]) => `$number(${value})` }],
  ["parseFloat", { inputs: [1], write: ([value]) => `$number(${value})` }],
  ["parseInt", { inputs: [1, 2], write: ([value]) => `$floor($number(${value}))` }],
  ["String", { inputs: [1], write: ([value]) => `$string(${value})` }],
  ["Boolean", { inputs: [1], write: ([value]) => `$boolean(${value})` }],
  ["JSON.stringify", { inputs: [1, 3], write: ([value]) => `$string(${value})` }],
  ["Math.round", { inputs: [1], write: ([value]) => `$floor(${value} + 0.5)` }],
  ["Math.floor", { inputs: [1], write: ([value]) => `$floor(${value})` }],
  ["Math.ceil", { inputs: [1], write: ([value]) => `$ceil(${value})` }],
  ["Math.abs", { inputs: [1], write: ([value]) => `$abs(${value})` }],
  ["Math.max", { inputs: [2, 3], write: (values) => `$max([${values.join(", ")}])` }],
  ["Math.min", { inputs: [2, 3], write: (values) => `$min([${values.join(", ")}])` }],
  ["Object.keys", { inputs: [1], write: ([value]) => `$keys(${value})` }],
]);

/** A function or a method that JSONata has as well. */
export function writeCall({ callee, inputs }: Call, write: Write): string {
  const known = functions.get(nameOf(callee));
  const written = () => inputs.map(write);
  if (known?.inputs.includes(inputs.length)) return known.write(written());
  if (callee.kind !== "member") throw unreadable(`the function ${nameOf(callee)}() is not read`);
  const method = methods.get(String(callee.name));
  if (!method?.inputs.includes(inputs.length)) throw unreadable(`.${callee.name}() is not read`);
  return method.write(write(callee.of), written());
}

/** What is no path through data: only the length of a text or a list. */
export function writeMember(script: Script, write: Write): string {
  if (script.kind === "name") throw unreadable(`${script.name} is not known`);
  if (script.kind !== "member" || script.name !== "length") throw unreadable("a field of a computed value is not read");
  const of = write(script.of);
  return `($type(${of}) = "string" ? $length(${of}) : $count(${of}))`;
}

const nameOf = (script: Script): string => {
  if (script.kind === "name") return script.name;
  return script.kind === "member" && script.of.kind === "name" ? `${script.of.name}.${script.name}` : "…";
};
