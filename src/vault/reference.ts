import { z } from "zod";
import { Refusal } from "../base/refusal.ts";

const uuid = z.uuid();
const prefix = "credential:organization:";

export const toReference = (credentialId: string): string => prefix + credentialId;

/** Whether one of the references that a node has by type is to that credential. */
export const refersTo = (
  references: Readonly<Record<string, string>> | null | undefined,
  credentialId: string,
): boolean =>
  Object.values(references ?? {}).some((one) => one.toLowerCase() === toReference(credentialId).toLowerCase());

/** The credential's id. What was sent is not repeated, because people paste secrets in the wrong place. */
export function parseReference(text: unknown): string {
  const id = typeof text === "string" && text.startsWith(prefix) ? text.slice(prefix.length).toLowerCase() : undefined;
  if (uuid.safeParse(id).success) return id as string;
  throw new Refusal(
    "credential_reference_invalid",
    "A credential reference has the form credential:organization:<uuid>.",
  );
}
