import { rowHolds } from "../../../src/workflows/conditions/holds.ts";
import {
  type DataKind,
  datePattern,
  describeOperator,
  type Operator,
  operatorNames,
  type Row,
} from "../../../src/workflows/conditions/operators.ts";
import { isKnown } from "../../../src/workflows/conditions/write-expression.ts";
import { writeCompact } from "../../parts/data-viewer/describe-data.ts";
import { writeText } from "../field-values.ts";

/** Of what kind the data is; undefined where there is none, or an object. */
export function dataKindOf(sample: unknown): DataKind | undefined {
  if (Array.isArray(sample)) return "list";
  if (typeof sample === "string") return datePattern.test(sample) ? "date" : "text";
  if (typeof sample === "boolean") return "yes or no";
  return typeof sample === "number" ? "number" : undefined;
}

/** Those that are meant for the data, and the others. */
export function arrangeOperators(sample: unknown): { fitting: Operator[]; others: Operator[] } {
  const kind = dataKindOf(sample);
  const isFitting = (operator: Operator) => kind === undefined || describeOperator(operator).fits.includes(kind);
  return { fitting: operatorNames.filter(isFitting), others: operatorNames.filter((one) => !isFitting(one)) };
}

export function writeRowValue(value: unknown): string {
  return Array.isArray(value) ? value.map(writeText).join(", ") : writeText(value);
}

/**
 * What was typed as the value that the operator wants. Where anything will do it is of the kind of the data, and without data what it looks like;
 * what cannot be read stays a text, and the server says what is wrong with it.
 */
export function readRowValue(text: string, operator: Operator, sample: unknown): unknown {
  if (text.trim() === "") return undefined;
  if (!isKnown(text)) return text.trim().startsWith("{{") ? text.trim() : text;
  const { wants } = describeOperator(operator);
  if (wants === "list") {
    const entries = text.split(",").map((entry) => entry.trim());
    return entries.filter((entry) => entry !== "").map((entry) => readScalar(entry, sample));
  }
  if (wants === "number") return readScalar(text, 0);
  return wants === "anything" ? readScalar(text, Array.isArray(sample) ? sample[0] : sample) : text;
}

function readScalar(text: string, sample: unknown): unknown {
  const trimmed = text.trim();
  if (typeof sample === "string") return text;
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(trimmed)) return Number(trimmed);
  return trimmed === "true" || trimmed === "false" ? trimmed === "true" : text;
}

/** "480 is more than 100", and whether it is so. */
export function describeRow(
  { operator, value: written }: Row,
  { field, value = written }: { field: unknown; value?: unknown },
): { sentence: string; isTrue: boolean } {
  const { wants, words } = describeOperator(operator);
  const compared = wants === "nothing" ? "" : ` ${inWords(value)}`;
  return { sentence: `${inWords(field)} ${words}${compared}`, isTrue: rowHolds({ field, operator, value }) };
}

function inWords(value: unknown): string {
  if (value === undefined || value === null) return "Nothing";
  if (typeof value === "string") return value.length > 60 ? `“${value.slice(0, 60)}…”` : `“${value}”`;
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one !== "object"))
    return value.slice(0, 5).map(inWords).join(", ") + (value.length > 5 ? ", …" : "");
  return writeCompact(value, 60);
}
