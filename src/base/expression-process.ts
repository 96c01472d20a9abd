import { isMainThread, parentPort, Worker } from "node:worker_threads";
import type { ExpressionAnswer } from "./evaluate-expression.ts";

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
    void evaluate(jsonata, question).then((answer) => parentPort?.postMessage(answer));
  });
  parentPort?.postMessage("ready");
}

async function evaluate(jsonata: Jsonata, question: string): Promise<ExpressionAnswer> {
  try {
    const { expression, input, bindings } = JSON.parse(question) as {
      expression: string;
      input: unknown;
      bindings: Record<string, unknown>;
    };
    const compiled = jsonata(expression, { stack: mostDepth, sequence: mostEntries });
    compiled.assign("eval", undefined);
    const json = JSON.stringify(await compiled.evaluate(input, bindings), keepData) as string | undefined;
    if (json !== undefined && json.length > mostAnswerLength) return { fault: `its value is longer than ${mostAnswerLength} characters` };
    return json === undefined ? {} : { json };
  } catch (error) {
    return { fault: describeFault(error) };
  }
}

function keepData(key: string, value: unknown): unknown {
  const isFunction = typeof value === "object" && value !== null && ("_jsonata_lambda" in value || "_jsonata_function" in value);
  return isFunction || key === "__proto__" ? undefined : value;
}

/** JSONata throws objects that are no errors, with the position in the expression. */
function describeFault(error: unknown): string {
  if (error instanceof RangeError) return "it is nested too deep or makes too long a text";
  const { message, position } = error as { message?: unknown; position?: unknown };
  const words = typeof message === "string" ? message.trim().replace(/\.$/, "").slice(0, 500) : "it cannot be evaluated";
  return typeof position === "number" ? `${words} (at character ${position})` : words;
}
