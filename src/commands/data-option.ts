import type { z } from "zod";
import { fieldMessage } from "../base/field-message.ts";
import { readJson } from "../base/json.ts";
import { Refusal } from "../base/refusal.ts";

/** What the API takes as body. */
export function readData<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  const data = schema.safeParse(readJson(Buffer.from(text)), { error: fieldMessage });
  if (data.success) return data.data;
  throw new Error(
    `--data: ${data.error.issues.map(({ path, message }) => `${path.join("/")} ${message}`.trim()).join("; ")}`,
  );
}

/** The faults are in the data, not in options of the command. */
export function sayForData(error: unknown): never {
  if (!(error instanceof Refusal && error.errors)) throw error;
  throw new Error(`--data: ${error.errors.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join("; ")}`);
}
