import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { z } from "zod";
import { fieldMessage } from "../base/field-message.ts";
import { createLog } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import { readConfig, readEnvironment } from "../config.ts";
import type { Parts } from "../start-up/open-parts.ts";
import type { Running } from "../start-up/open-running.ts";
import { toFlag, toName } from "./option-names.ts";

/** Reads `--name value` options strictly and checks them with the schema the HTTP API uses. */
export const readOptions = <Schema extends z.ZodObject>(words: string[], schema: Schema): z.output<Schema> =>
  checkOptions(readGiven(words, schema), schema);

export function checkOptions<Schema extends z.ZodObject>(
  given: Record<string, unknown>,
  schema: Schema,
): z.output<Schema> {
  const result = schema.safeParse(given, { error: fieldMessage });
  if (result.success) return result.data;
  throw new Error(
    result.error.issues.map((issue) => `--${toFlag(String(issue.path[0]))}: ${issue.message}`).join("; "),
  );
}

/** Runs with everything below the doors open, beside a running server or alone. */
export async function withParts<Value>(run: (parts: Parts) => Promise<Value>): Promise<Value> {
  const config = readConfig({ DATABASE_POOL_SIZE: "4", LOG_LEVEL: "silent", ...readEnvironment() });
  // Loaded only now, so that a mistyped command is answered at once.
  const { openParts } = await import("../start-up/open-parts.ts");
  const parts = await openParts({ config, log: createLog(config.logLevel) });
  try {
    return await run(parts);
  } finally {
    await parts.close();
  }
}

/** The same with what asks providers and accepts runs. It runs none itself: servers do. */
export const withRunning = <Value>(run: (running: Running, parts: Parts) => Promise<Value>): Promise<Value> =>
  withParts(async (parts) => {
    const { openRunning } = await import("../start-up/open-running.ts");
    const running = openRunning(parts);
    try {
      await running.start();
      return await run(running, parts);
    } finally {
      await running.stop();
    }
  });

export async function requireOrganization({ identity }: Parts, organizationId: string): Promise<void> {
  if (!(await identity.organizations.exists(organizationId)))
    throw new Refusal("not_found", "There is no such organization.");
}

/** Picks `create` out of `keys create …`. */
export function pickAction<Action>(
  words: string[],
  actions: Record<string, Action>,
): { action: Action; rest: string[] } {
  const [name = "", ...rest] = words;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw new Error(`say one of: ${Object.keys(actions).join(", ")}`);
  return { action, rest };
}

/** What was typed, by the names of the schema and not yet checked. */
export function readGiven(words: string[], schema: z.ZodObject): Record<string, unknown> {
  const options: ParseArgsOptionsConfig = {};
  for (const [name, field] of Object.entries(schema.shape))
    options[toFlag(name)] = { type: isFlag(field) ? "boolean" : "string", multiple: true };
  const given: Record<string, unknown> = {};
  for (const [flag, values] of Object.entries(parseWords(words, options))) {
    const name = toName(flag);
    const [value, another] = values;
    if (another !== undefined && !isList(schema.shape[name])) throw new Error(`--${flag}: may be given only once`);
    given[name] = isList(schema.shape[name]) ? values : value;
  }
  return given;
}

function parseWords(words: string[], options: ParseArgsOptionsConfig): Record<string, (string | boolean)[]> {
  try {
    return parseArgs({ args: words, options }).values as Record<string, (string | boolean)[]>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Node's message repeats the word, which may be the second half of a password without quotes.
    if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL")
      throw new Error("a word belongs to no option; put quotes around values with spaces");
    throw new Error(message.replaceAll("\n", " "));
  }
}

const isList = (field: unknown): boolean =>
  field instanceof z.ZodArray || (field instanceof z.ZodOptional && isList(field.unwrap()));

const isFlag = (field: unknown): boolean =>
  field instanceof z.ZodBoolean || (field instanceof z.ZodOptional && isFlag(field.unwrap()));
