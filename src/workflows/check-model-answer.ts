import type { z } from "zod";
import { type FieldFault, Refusal } from "../base/refusal.ts";
import { readInput } from "../catalog/catalog.ts";
import type { ModelAnswer } from "./model-contract.ts";

export type Values = Record<string, unknown>;

/** What the model wrote and what it comes to; or what was wrong, for the model and for people. */
export type CheckedAnswer = { written: Values; values: Values } | { complaint: string; refusal: Refusal };

type Rules = { schema: z.ZodObject; evaluate: ((written: Values) => Promise<Values>) | undefined };

const longestQuote = 300;

/** Only fields that were asked for count, so that a model cannot change what the author wrote. */
export async function checkAnswer(answer: ModelAnswer, { schema, evaluate }: Rules): Promise<CheckedAnswer> {
  const value = answer.is === "value" && isObject(answer.value) ? answer.value : undefined;
  if (!value) return describeUnusable(answer, schema);
  const entries = Object.entries(value).filter(([name, entry]) => Object.hasOwn(schema.shape, name) && entry !== null);
  const written = Object.fromEntries(entries);
  const evaluated = evaluate ? await tryEvaluate(written, evaluate) : { values: written };
  const faults = evaluated.faults ?? readValues(schema, evaluated.values).faults;
  return faults ? describeFaults(faults) : { written, values: evaluated.values ?? written };
}

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type Outcome = { values: Values; faults?: undefined } | { values?: undefined; faults: FieldFault[] };

export function readValues(schema: z.ZodObject, values: Values): Outcome {
  try {
    readInput({ input: schema }, values);
    return { values };
  } catch (error) {
    return { faults: faultsOf(error) };
  }
}

async function tryEvaluate(written: Values, evaluate: (written: Values) => Promise<Values>): Promise<Outcome> {
  try {
    return { values: await evaluate(written) };
  } catch (error) {
    return { faults: faultsOf(error) };
  }
}

const mended: ReadonlySet<string> = new Set(["validation_failed", "reference_unresolved", "expression_timeout"]);

function faultsOf(error: unknown): FieldFault[] {
  if (!(error instanceof Refusal && mended.has(error.code))) throw error;
  return error.errors ?? [{ pointer: "", detail: error.message.replace(/\.$/, "") }];
}

function describeFaults(faults: FieldFault[]): CheckedAnswer {
  const told = faults.map(({ pointer, detail }) => `${fieldOf(pointer)} ${detail}`);
  const wrong = faults.map(({ pointer, detail }) => ({
    pointer,
    detail: `was left empty, and what the language model filled in ${detail}`,
  }));
  return { complaint: told.join("; "), refusal: refuseFields(wrong) };
}

const fieldOf = (pointer: string): string => pointer.slice(1).replaceAll("/", ".") || "it";

export function refuseFields(errors: FieldFault[]): Refusal {
  const [first] = errors;
  return new Refusal("validation_failed", `${fieldOf(first?.pointer ?? "")} ${first?.detail ?? "is not valid"}.`, {
    errors,
  });
}

function describeUnusable({ is, words }: ModelAnswer, schema: z.ZodObject): CheckedAnswer {
  const names = Object.keys(schema.shape);
  const needed = readValues(schema, {}).faults?.map(({ pointer }) => pointer.slice(1)) ?? [];
  const asked = (needed.length > 0 ? needed : names).join(", ");
  const [complaint, fault] = {
    refused: ["it was a refusal", `The language model refused to fill in ${asked}`],
    "cut off": [
      "it was cut off: write less",
      `The answer of the language model for ${asked} was cut off at its longest`,
    ],
    text: [
      "it was text and not one JSON object",
      `The language model answered with text instead of values for ${asked}`,
    ],
    value: ["it was not one JSON object", `The language model answered with something else than values for ${asked}`],
  }[is] as [string, string];
  return { complaint, refusal: new Refusal("provider_error", `${fault}${quote(words)}`) };
}

function quote(words: string): string {
  const text = words.trim().replaceAll(/\s+/g, " ");
  if (text === "") return ", without saying why.";
  if (text.length > longestQuote) return `: "${text.slice(0, longestQuote).trimEnd()}…"`;
  return `: "${text}"${/[.!?…]$/.test(text) ? "" : "."}`;
}
