import type { ToolInput } from "../../../src/workflows/wire.ts";

const longestName = 64;

/** A name that the server takes, made of the name of the workflow. */
export function suggestToolName(workflowName: string): string {
  const plain = workflowName.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const words = plain
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, longestName);
  return words || "my_tool";
}

const samples: Record<ToolInput["type"], unknown> = {
  string: "text",
  number: 1.5,
  integer: 1,
  boolean: true,
  object: {},
  array: [],
};

/** Arguments of a first call: one value of the right type for each input. */
export const sampleArguments = (inputs: readonly ToolInput[]): Record<string, unknown> =>
  Object.fromEntries(inputs.map(({ name, type }) => [name, samples[type]]));
