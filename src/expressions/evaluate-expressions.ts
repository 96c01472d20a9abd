import { toStorableText } from "../base/json.ts";
import type { ExpressionAnswer } from "./evaluator-messages.ts";
import { createEvaluatorPool, refuseExpression } from "./evaluator-pool.ts";
import { longestExpression } from "./expression-fault.ts";
import { interpret } from "./interpret.ts";
import { writeData } from "./share-data.ts";

type EvaluationContext = {
  /** What the expression is applied to: `$`. */
  input: unknown;
  /** Further variables by name, without the dollar. */
  bindings?: Record<string, unknown>;
  signal?: AbortSignal | undefined;
};

/** The value, undefined when the expression finds nothing, or what is wrong with the expression. */
export type Evaluated = { value: unknown; fault?: undefined } | { fault: string };

const longestData = 10_000_000;

/** Shared by all that evaluate in this process, because together they have one machine. */
export const evaluators = createEvaluatorPool();

/**
 * The value of a JSONata expression, or undefined when it finds nothing. Whatever cannot be evaluated is refused with the reason.
 * Expressions run in processes of their own, because a search pattern can run for ever and one long text can exhaust the memory:
 * a thread of this process could be stopped, but its exhausted memory would end this process too. No process is asked by two organizations,
 * because JSONata keeps what all its expressions share where an expression can change it.
 */
export async function evaluateExpression(
  organizationId: string,
  expression: string,
  context: EvaluationContext,
): Promise<unknown> {
  const [evaluated] = await evaluateExpressions(organizationId, [expression], context);
  if (evaluated?.fault !== undefined) throw refuseExpression(`failed: ${evaluated.fault}`);
  return evaluated?.value;
}

/**
 * Several expressions in one go, under the limits of one: what is too long, too large or too slow is refused as a whole. The common ones are
 * interpreted here, the others are asked of the organization's process in one message. Values may be parts of what was given: nobody changes them.
 */
export async function evaluateExpressions(
  organizationId: string,
  expressions: string[],
  { input, bindings = {}, signal }: EvaluationContext,
): Promise<Evaluated[]> {
  signal?.throwIfAborted();
  if (expressions.some(({ length }) => length > longestExpression))
    throw refuseExpression(`is longer than ${longestExpression} characters`);
  const evaluated: (Evaluated | undefined)[] = expressions.map((text) =>
    interpret(organizationId, text, { input, bindings }),
  );
  const left = expressions.filter((_, index) => !evaluated[index]);
  if (left.length === 0) return evaluated as Evaluated[];
  const data = writeData({ input, bindings });
  if (data.length > longestData) throw refuseExpression(`was given more than ${longestData} characters of data`);
  const answers = (await evaluators.ask(organizationId, { expressions: left, data, signal })).values();
  return evaluated.map((one) => one ?? readAnswer(answers.next().value ?? {}));
}

function readAnswer({ json, fault }: ExpressionAnswer): Evaluated {
  if (fault !== undefined) return { fault };
  if (json === undefined) return { value: undefined };
  // Text functions can cut a character in half, and no record holds that.
  return { value: JSON.parse(/\\u(?:0000|d)/.test(json) ? toStorableText(JSON.parse(json)).text : json) as unknown };
}
