import type { Pause } from "../base/pause-long-work.ts";
import { Refusal } from "../base/refusal.ts";
import { evaluators } from "./evaluate-expressions.ts";
import { longestExpression } from "./expression-fault.ts";
import { parseHere } from "./parse-here.ts";

/** Reading so many characters takes the process that does it a fraction of its time limit. */
const charactersAtOnce = longestExpression;

/** What is wrong with how each JSONata expression is written, without evaluating it; undefined where nothing is. */
export async function findExpressionFaults(
  organizationId: string,
  expressions: string[],
  pause: Pause,
): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for (const text of expressions) {
    await pause();
    found.push(findFaultHere(text));
  }
  const others = expressions.map((text, index) => ({ text, index })).filter(({ index }) => found[index] === "not here");
  for (const together of cutIntoQuestions(others)) {
    const faults = await askForFaults(
      organizationId,
      together.map(({ text }) => text),
    );
    for (const [place, { index }] of together.entries()) found[index] = faults[place];
  }
  return found;
}

function findFaultHere(text: string): string | undefined {
  if (text.trim() === "") return "it is empty";
  if (text.length > longestExpression) return `it is longer than ${longestExpression} characters`;
  const parsed = parseHere(text);
  return parsed ? parsed.fault : "not here";
}

type Placed = { text: string; index: number };

function cutIntoQuestions(expressions: Placed[]): Placed[][] {
  const questions: Placed[][] = [];
  let room = 0;
  for (const expression of expressions) {
    room -= expression.text.length;
    if (room < 0) {
      questions.push([]);
      room = charactersAtOnce - expression.text.length;
    }
    questions.at(-1)?.push(expression);
  }
  return questions;
}

async function askForFaults(organizationId: string, expressions: string[]): Promise<(string | undefined)[]> {
  try {
    const answers = await evaluators.ask(organizationId, { expressions, data: "", isCheck: true });
    return answers.map(({ fault }) => fault);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return expressions.map(() => "it takes too long to read");
  }
}
