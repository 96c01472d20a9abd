import { z } from "zod";
import { variableName, variableValue } from "../workflows/variable-wire.ts";
import { pickAction, readOptions, requireOrganization, withParts } from "./command-line.ts";

const inOrganization = z.object({ organization: z.uuid() });
const oneVariable = inOrganization.extend({ name: variableName });
const newVariable = oneVariable.extend({ value: z.string().transform(readPlain).pipe(variableValue) });

export async function variables(words: string[]) {
  const { action, rest } = pickAction(words, { list, set, remove });
  return await action(rest);
}

async function list(words: string[]) {
  const { organization } = readOptions(words, inOrganization);
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    return await parts.workflows.variables.list(organization);
  });
}

async function set(words: string[]) {
  const { organization, name, value } = readOptions(words, newVariable);
  return await withParts(async (parts) => {
    await requireOrganization(parts, organization);
    return await parts.workflows.variables.put({ organizationId: organization, name }, value, null);
  });
}

async function remove(words: string[]) {
  const { organization, name } = readOptions(words, oneVariable);
  return await withParts(async ({ workflows }) => {
    await workflows.variables.remove({ organizationId: organization, name });
    return { name, removed: true };
  });
}

/** `42` and `true` are what they look like; anything else that is no JSON text is taken as it stands. */
function readPlain(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? text : value;
  } catch {
    return text;
  }
}
