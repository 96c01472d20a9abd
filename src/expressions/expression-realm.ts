import vm from "node:vm";
import type { Expression } from "jsonata";
import { bindsClone, cloneFault, couldChangeOthers } from "./inspect-tree.ts";

type Jsonata = (text: string, options?: object) => Expression;

/** What is inside the realm: only texts and what it made itself are given to it. */
type Inside = {
  holder: { exports: Jsonata };
  limits: object;
  parse: (text: string) => unknown;
  write: (value: unknown) => string | undefined;
};

export type Realm = {
  compile: (text: string) => Compiled;
  parse: (text: string) => unknown;
  /** The JSON of a value without functions; undefined where nothing is left. */
  write: (value: unknown) => string | undefined;
};

export type Compiled = { expression: Expression; couldChangeOthers: boolean };

const mostDepth = 500;
const mostEntries = 100_000;

// Functions of JSONata are objects with such a mark. Its base64 functions look for those of a browser first.
const insideText = `(encode, decode) => {
  const { parse, stringify } = JSON;
  const { defineProperty } = Object;
  const find = (value, path, length) => {
    for (let step = 0; step < length; step += 1) value = value[path[step]];
    return value;
  };
  // What stands in several places is sent once: share-data.ts.
  const join = (data) => {
    const same = data.same === undefined ? [] : data.same;
    for (let index = 0; index < same.length; index += 1) {
      const [to, from] = [same[index][0], same[index][1]];
      const value = find(data, from, from.length);
      const last = to.length - 1;
      defineProperty(find(data, to, last), to[last], { value, writable: true, enumerable: true, configurable: true });
    }
    return data;
  };
  const keepData = (key, value) => {
    const isFunction = typeof value === "object" && value !== null && ("_jsonata_lambda" in value || "_jsonata_function" in value);
    return isFunction || key === "__proto__" ? undefined : value;
  };
  globalThis.window = { btoa: (text) => encode(text), atob: (text) => decode(text) };
  return {
    holder: { exports: {} },
    limits: { stack: ${mostDepth}, sequence: ${mostEntries} },
    parse: (text) => join(parse(text)),
    write: (value) => stringify(value, keepData),
  };
}`;

const encodeBase64 = (text: string): string => Buffer.from(text, "latin1").toString("base64");
const decodeBase64 = (text: string): string => Buffer.from(text, "base64").toString("latin1");

/** Makes realms with a JSONata of their own: other built-ins, other prototypes, no way to make code of text. */
export function createRealms(source: string) {
  let cachedData: Buffer | undefined;

  return (): Realm => {
    const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: false } });
    const script = new vm.Script(`(exports, module) => {${source}\n}`, {
      filename: "jsonata.js",
      ...(cachedData ? { cachedData } : {}),
    });
    const open = vm.runInContext(insideText, context) as (
      encode: typeof encodeBase64,
      decode: typeof decodeBase64,
    ) => Inside;
    const { holder, limits, parse, write } = open(encodeBase64, decodeBase64);
    const load = script.runInContext(context) as (exports: unknown, module: unknown) => void;
    load(holder.exports, holder);
    cachedData ??= script.createCachedData();
    return { parse, write, compile: (text) => compile(holder.exports, text, limits) };
  };
}

function compile(jsonata: Jsonata, text: string, limits: object): Compiled {
  const expression = jsonata(text, limits);
  const tree = expression.ast();
  if (bindsClone(tree)) throw new Error(cloneFault);
  expression.assign("eval", undefined);
  return { expression, couldChangeOthers: couldChangeOthers(tree) };
}
