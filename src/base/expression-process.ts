import { isMainThread, parentPort, Worker } from "node:worker_threads";
import type { ExpressionAnswer } from "./evaluate-expression.ts";
import { describeExpressionFault } from "./expression-fault.ts";

type Jsonata = typeof import("jsonata");

const mostDepth = 500;
const mostEntries = 100_000;
const mostAnswerLength = 5_000_000;

// The main thread of this process only passes on, so that it notices and ends an evaluation whose asker is gone.
if (isMainThread) passOn();
else await answerQuestions();

function passOn(): void {
  const worker = new Worker(new URL(import.meta.url), { env: {}, resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 } });
  worker.on("message", (answer) => process.send?.(answer));
  process.on("message", (question) => worker.postMessage(question));
  process.on("disconnect", () => process.exit());
}

async function answerQuestions(): Promise<void> {
  const { default: jsonata } = await import("jsonata");
  parentPort?.on("message", (question: string) => {
    void answer(jsonata, question).then((answers) => parentPort?.postMessage(answers));
  });
  parentPort?.postMessage("ready");
}

type Question = { expressions: string[]; input: unknown; bindings: Record<string, unknown> };

async function answer(jsonata: Jsonata, text: string): Promise<ExpressionAnswer[]> {
  const { expressions, ...data } = JSON.parse(text) as Question;
  const answers: ExpressionAnswer[] = [];
  let room = mostAnswerLength;
  for (const expression of expressions) {
    const next = await evaluate(jsonata, expression, data);
    room -= next.json?.length ?? 0;
    answers.push(room < 0 ? { fault: `its value is longer than ${mostAnswerLength} characters` } : next);
  }
  return answers;
}

async function evaluate(
  jsonata: Jsonata,
  expression: string,
  { input, bindings }: Omit<Question, "expressions">,
): Promise<ExpressionAnswer> {
  try {
    const compiled = jsonata(expression, { stack: mostDepth, sequence: mostEntries });
    compiled.assign("eval", undefined);
    const json = JSON.stringify(await compiled.evaluate(input, bindings), keepData) as string | undefined;
    return json === undefined ? {} : { json };
  } catch (error) {
    return { fault: describeExpressionFault(error) };
  }
}

function keepData(key: string, value: unknown): unknown {
  const isFunction = typeof value === "object" && value !== null && ("_jsonata_lambda" in value || "_jsonata_function" in value);
  return isFunction || key === "__proto__" ? undefined : value;
}
