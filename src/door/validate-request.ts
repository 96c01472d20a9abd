import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { fieldMessage } from "../base/field-message.ts";
import { type FieldFault, Refusal } from "../base/refusal.ts";

/** Checks one part of a request with its schema and names every wrong field, each once. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data: unknown) => {
    // The framework hands over null for a body that was not sent.
    const result = schema.safeParse(data ?? undefined, { error: fieldMessage });
    if (result.success) return { value: result.data };
    const isBody = httpPart === "body";
    const faults = result.error.issues.map(({ path, message }) => ({
      pointer: isBody ? jsonPointer(path) : path.join("."),
      detail: message,
    }));
    // A value of a wrong kind is often also too short; the first complaint says enough.
    const seen = new Set<string>();
    const errors = faults.filter(({ pointer }) => !seen.has(pointer) && seen.add(pointer));
    return { error: new Refusal("validation_failed", sentence(errors[0]), { errors }) };
  };

function sentence(fault: FieldFault | undefined): string {
  if (fault === undefined) return "The request is not valid.";
  return `${fault.pointer === "" ? "The body" : fault.pointer.replace(/^\//, "")} ${fault.detail}.`;
}

const jsonPointer = (path: PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
