import { type Finding, sound, warning } from "./finding.ts";

/** What is known about an account from inside; without it only its reference is. */
export type DescribeAccount = (reference: string) => Promise<{ name: string; isUsable: boolean }>;

type Schema = {
  properties?: { credentials?: { default?: Record<string, unknown>; required?: unknown } };
  required?: unknown;
};

/** Whether a call that names no account would find one, as the list of tools says it to this caller. */
export async function examineAccount(tools: unknown[], describeAccount?: DescribeAccount): Promise<Finding<null>> {
  const schemas = tools.map((tool) => (tool as { inputSchema?: Schema }).inputSchema ?? {});
  const needing = schemas.filter(({ properties }) => properties?.credentials !== undefined);
  if (needing.length === 0) return sound("no tool needs an account", null);
  const isRequired = ({ required, properties }: Schema) =>
    Array.isArray(required) && required.includes("credentials") && properties?.credentials?.required !== undefined;
  if (needing.some(isRequired)) return warning("a call that names no account is refused", noAccountFix);
  const references = new Set(
    needing.flatMap(({ properties }) => Object.values(properties?.credentials?.default ?? {})),
  );
  const [reference] = references;
  if (typeof reference !== "string") return sound("a call that names no account finds one, or needs none", null);
  if (!describeAccount) return sound(`a call that names no account uses ${reference}`, null);
  const { name, isUsable } = await describeAccount(reference);
  const seen = `a call that names no account uses "${name}"`;
  return isUsable
    ? sound(seen, null)
    : warning(`${seen}, which does not work`, `Open "${name}" under Credentials and mend it there.`);
}

const noAccountFix =
  "Connect an account under Credentials, or open one that is there and make it the default. An application can also be given an account of its own when it is approved, and a key under API keys.";
