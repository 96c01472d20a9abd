import { z } from "zod";
import { type FieldFault, Refusal } from "../base/refusal.ts";
import { readInput } from "../catalog/catalog.ts";
import { type JsonSchema, toJsonSchema } from "../catalog/json-schema.ts";
import { writeFillQuestion } from "./fill-question.ts";
import type { Model } from "./model-contract.ts";

type Values = Record<string, unknown>;

export type FillWish = {
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
  signal?: AbortSignal | undefined;
};

/**
 * Lets a model fill the parameters the author left empty, where an instruction says how; explicit values always stay.
 * `filled` is what the model gave, undefined when it was not asked.
 */
export async function fillParameters(wish: FillWish): Promise<{ parameters: Values; filled: Values | undefined }> {
  const { input, authored, parameters, model } = wish;
  const empty = Object.keys(input.shape).filter((name) => isEmpty(authored[name]));
  const hasInstruction = !isBlank(wish.instruction) || !isBlank(wish.runtimeInstruction);
  if (!hasInstruction || empty.length === 0) return { parameters, filled: undefined };
  const schema = z.strictObject(Object.fromEntries(empty.map((name) => [name, input.shape[name] as z.ZodType])));
  if (model) {
    const filled = await askForValues(wish, schema, model);
    return { parameters: { ...withoutEmpty(parameters, empty), ...filled }, filled };
  }
  const unfilled = check(schema, {});
  if ("values" in unfilled) return { parameters, filled: undefined };
  throw refuse(
    unfilled.faults.map(({ pointer, detail }) => ({ pointer, detail: `${detail}, and no language model is configured to fill it` })),
  );
}

export const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";
const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === "";

const withoutEmpty = (parameters: Values, empty: string[]): Values =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !empty.includes(name)));

async function askForValues(wish: FillWish, schema: z.ZodObject, model: Model): Promise<Values> {
  const { signal } = wish;
  const asJson = forModels(toJsonSchema(schema, "input")) as JsonSchema;
  const given = Object.keys(wish.parameters).filter((name) => !(name in schema.shape));
  let complaints: FieldFault[] = [];
  for (const attempt of [1, 2]) {
    const answer = await model.answerAs(asJson, { ...writeFillQuestion({ ...wish, given, complaints }), signal });
    const checked = check(schema, answer);
    if ("values" in checked) return checked.values;
    complaints = checked.faults;
    if (attempt === 1) signal?.throwIfAborted();
  }
  throw refuse(
    complaints.map(({ pointer, detail }) => ({ pointer, detail: `was left empty, and what the language model filled in ${detail}` })),
  );
}

/** Only fields that were asked for count, so that a model cannot change what the author wrote. */
function check(schema: z.ZodObject, answer: unknown): { values: Values } | { faults: FieldFault[] } {
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  const values = Object.fromEntries(
    Object.entries(isObject ? answer : {}).filter(([name, value]) => Object.hasOwn(schema.shape, name) && value !== null),
  );
  try {
    readInput({ input: schema }, values);
    return { values };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { faults: error.errors ?? [] };
  }
}

function refuse(errors: FieldFault[]): Refusal {
  const [first] = errors;
  return new Refusal("validation_failed", `${first?.pointer.slice(1) ?? "A parameter"} ${first?.detail ?? "is not valid"}.`, { errors });
}

/** Without marks that only this product knows, and without patterns that only repeat a format. */
function forModels(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forModels);
  if (typeof value !== "object" || value === null) return value;
  const isNoise = (key: string) => key === "expression" || (key === "pattern" && "format" in value);
  return Object.fromEntries(Object.entries(value).flatMap(([key, entry]) => (isNoise(key) ? [] : [[key, forModels(entry)]])));
}
