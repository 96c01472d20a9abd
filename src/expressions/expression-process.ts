import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { type ExpressionAnswer, longestQuietData, type QuestionHead } from "./evaluator-messages.ts";
import { describeExpressionFault } from "./expression-fault.ts";
import { type Compiled, createRealms, type Realm } from "./expression-realm.ts";
import { createFrameReader, writeFrame } from "./frames.ts";

const mostAnswerLength = 5_000_000;
/** So many read expressions, none of them long, take a few megabytes. */
const kept = { most: 500, longestText: 2_000, expressions: new Map<string, Compiled>() };

/** Whoever waits already is answered first. */
const warmUpAfterMs = 20;
/** A bit of everything that is common, without data of anybody. */
const warmUpText = `(
  $list := [{ "name": "a", "price": 2 }, { "name": "b", "price": 3 }];
  $map($list[price > 2 and name != ""]^(name), function($one, $at) { { "name": $uppercase($one.name) & $string($at), "sum": $sum($list.price) * 1 } })
)`;

// A process of one organization only: evaluator-pool.ts starts it, asks it and ends it.
const createRealm = createRealms(readFileSync(process.argv[2] ?? "", "utf8"));
const pipe = new Socket({ fd: 3, readable: true, writable: true });
const realm = createRealm();
const waiting: { head: QuestionHead; data: string }[] = [];
let isAnswering = false;

pipe.on("error", () => process.exit());
pipe.on("close", () => process.exit());
pipe.on("end", () => process.exit());
pipe.on(
  "data",
  createFrameReader((head, data) => {
    waiting.push({ head: head as QuestionHead, data });
    if (!isAnswering) void answerAll();
  }),
);
pipe.write(writeFrame({ isReady: true }, ""));
setTimeout(() => void warmUp(), warmUpAfterMs);

async function answerAll(): Promise<void> {
  isAnswering = true;
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { id } = next.head;
    const answers = next.head.isCheck ? next.head.expressions.map(check) : await answer(next.head, next.data);
    const texts = answers.map(({ json = "" }) => json);
    const told = answers.map(({ json, fault }) => (fault === undefined ? { length: json?.length } : { fault }));
    const { user, system } = process.cpuUsage();
    pipe.write(writeFrame({ id, answers: told, usedMs: Math.round((user + system) / 1000) }, texts.join("")));
  }
  isAnswering = false;
}

/** Most of what a first evaluation takes is that JSONata runs for the first time. A process that nobody has asked anything yet does that before. */
async function warmUp(): Promise<void> {
  if (isAnswering || kept.expressions.size > 0) return;
  await evaluateIn(realm, realm.compile(warmUpText), realm.parse('{"bindings":{}}'));
}

async function answer({ id, expressions }: QuestionHead, text: string): Promise<ExpressionAnswer[]> {
  let data: unknown = realm.parse(text);
  // What it takes to read the data is not the expression's.
  if (text.length > longestQuietData) pipe.write(writeFrame({ id, hasBegun: true }, ""));
  const answers: ExpressionAnswer[] = [];
  let room = mostAnswerLength;
  for (const expression of expressions) {
    const next = await evaluate(expression, { text, data });
    room -= next.json?.length ?? 0;
    answers.push(room < 0 ? { fault: `its value is longer than ${mostAnswerLength} characters` } : next);
    // Calling what is no function fails and leaves a note on it.
    if (next.fault !== undefined && expressions.length > 1) data = realm.parse(text);
  }
  return answers;
}

type Given = { text: string; data: unknown };

/** In the realm that is kept when nothing but its own values can be changed; in one that is thrown away otherwise. */
async function evaluate(expression: string, { text, data }: Given): Promise<ExpressionAnswer> {
  try {
    const compiled = compileOnce(expression);
    if (!compiled.couldChangeOthers && !text.includes("_jsonata_")) return await evaluateIn(realm, compiled, data);
    const own = createRealm();
    return await evaluateIn(own, own.compile(expression), own.parse(text));
  } catch (error) {
    // Where one of several values fails, JSONata does not wait for the others. They end before anything else begins.
    await endOfTurn();
    return { fault: describeExpressionFault(error) };
  }
}

async function evaluateIn({ write }: Realm, { expression }: Compiled, data: unknown): Promise<ExpressionAnswer> {
  const { input, bindings } = data as { input: unknown; bindings: Record<string, unknown> };
  const json = write(await expression.evaluate(input, bindings));
  return json === undefined ? {} : { json };
}

function compileOnce(text: string): Compiled {
  const known = kept.expressions.get(text);
  if (known) return known;
  const compiled = realm.compile(text);
  if (text.length > kept.longestText) return compiled;
  if (kept.expressions.size >= kept.most) kept.expressions.clear();
  kept.expressions.set(text, compiled);
  return compiled;
}

function check(text: string): ExpressionAnswer {
  try {
    realm.compile(text);
    return {};
  } catch (error) {
    return { fault: describeExpressionFault(error) };
  }
}
