import { z } from "zod";

// Plain values that the expressions of all workflows of an organization can name.

export const mostVariables = 100;
const longestVariable = 5000;

export const variableName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
    "must be 1 to 64 letters, digits or underscores, and begin with a letter or an underscore",
  )
  .refine((name) => !/^(?:and|or|in|true|false|null|function)$/.test(name), "must not be a word of expressions")
  .refine((name) => !(name in {}), "must not be a name that every object has, such as constructor");

export const variableValue = z
  .union([z.string().max(longestVariable), z.number(), z.boolean()])
  .describe("A text, a number, true or false. Everybody in the organization can read it: secrets are credentials.");
export type VariableValue = z.infer<typeof variableValue>;

export const variableRequest = z.strictObject({ value: variableValue });

export const variable = z
  .object({
    name: z.string(),
    value: variableValue,
    changedByName: z.string().nullable().describe("Null for the command line."),
    changedAt: z.iso.datetime(),
  })
  .meta({ id: "Variable" });
export type Variable = z.infer<typeof variable>;

export const variableList = z.object({ data: z.array(variable).describe("In the order of the alphabet.") });
