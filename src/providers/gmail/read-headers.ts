import { listAt, textAt } from "../../contract/read.ts";

/** A header of a message or part, whatever the case of its name. */
export function headerOf(message: unknown, name: string): string | undefined {
  const headers = [...listAt(message, "payload", "headers"), ...listAt(message, "headers")];
  return textAt(
    headers.find((entry) => textAt(entry, "name")?.toLowerCase() === name),
    "value",
  );
}
