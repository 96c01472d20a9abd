import { z } from "zod";
import { toJsonSchema } from "../catalog/json-schema.ts";
import { type CheckedAnswer, checkAnswer, readValues, refuseFields, type Values } from "./check-model-answer.ts";
import { type FirstAnswer, schemaForModels, writeFillQuestion } from "./fill-question.ts";
import type { Model } from "./model-contract.ts";

export type FillRequest = {
  input: z.ZodObject;
  /** As the author left them, references and all: what is empty here may be filled. */
  authored: Values;
  /** The same, resolved. What a model fills is never looked at for references. */
  parameters: Values;
  instruction?: string | undefined;
  runtimeInstruction?: string | undefined;
  runtimePrompt?: string | undefined;
  /** What came in; the model is shown an excerpt. */
  upstream: unknown;
  model: Model | undefined;
  /** Names of parameters that the node itself evaluates. */
  evaluatedInputs?: readonly string[];
  /** What fields that are expressions come to, where the author allows the model to write some. Otherwise all that it writes is a value. */
  evaluate?: ((written: Values) => Promise<Values>) | undefined;
  signal?: AbortSignal | undefined;
  leftMs?: (() => number) | undefined;
};

/**
 * Lets a model fill the parameters the author left empty, where an instruction says how; explicit values always stay.
 * `filled` is what the model wrote, undefined when it was not asked.
 */
export async function fillParameters(
  request: FillRequest,
): Promise<{ parameters: Values; filled: Values | undefined }> {
  const { input, authored, parameters, model } = request;
  const hasInstruction = !isBlank(request.instruction) || !isBlank(request.runtimeInstruction);
  const names = Object.keys(input.shape).filter((name) => isEmpty(authored[name]));
  const withheld = request.evaluate ? [] : names.filter((name) => request.evaluatedInputs?.includes(name));
  const empty = names.filter((name) => !withheld.includes(name));
  if (hasInstruction)
    refuseMissing(
      pick(input, withheld),
      "a language model writes it only where the settings of the node allow expressions",
    );
  if (!hasInstruction || empty.length === 0) return { parameters, filled: undefined };
  const schema = pick(input, empty);
  if (model) {
    const { written, values } = await askForValues(request, schema, model);
    return { parameters: { ...withoutEmpty(parameters, empty), ...values }, filled: written };
  }
  refuseMissing(schema, "no language model is configured to fill it");
  return { parameters, filled: undefined };
}

export const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";
const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === "";

const pick = ({ shape }: z.ZodObject, names: string[]): z.ZodObject =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, shape[name] as z.ZodType])));

const withoutEmpty = (parameters: Values, empty: string[]): Values =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !empty.includes(name)));

function refuseMissing(schema: z.ZodObject, reason: string): void {
  const { faults = [] } = readValues(schema, {});
  if (faults.length > 0)
    throw refuseFields(faults.map(({ pointer, detail }) => ({ pointer, detail: `${detail}, and ${reason}` })));
}

type Usable = Extract<CheckedAnswer, { values: Values }>;

/** What cannot be used is asked for once more, with what was wrong. One who refuses is not pressed. */
async function askForValues(request: FillRequest, schema: z.ZodObject, model: Model): Promise<Usable> {
  const { signal, leftMs, evaluate } = request;
  const mayWriteExpressions = evaluate !== undefined;
  const asJson = schemaForModels(toJsonSchema(schema, "input"), mayWriteExpressions);
  const given = Object.keys(request.parameters).filter((name) => !(name in schema.shape));
  let first: FirstAnswer | undefined;
  for (;;) {
    const question = writeFillQuestion({ ...request, given, mayWriteExpressions, first });
    const answer = await model.answerAs(asJson, { ...question, signal, leftMs });
    const checked = await checkAnswer(answer, { schema, evaluate });
    if ("values" in checked) return checked;
    if (first || answer.is === "refused") throw checked.refusal;
    signal?.throwIfAborted();
    first = { complaint: checked.complaint, words: answer.words };
  }
}
