import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { codeExtension, codeFolder } from "../base/own-files.ts";
import type { Action } from "../contract/action.ts";
import type { Provider } from "../contract/provider.ts";
import { checkPoll } from "./check-poll.ts";
import { toJsonSchema } from "./json-schema.ts";

export type LoadedProvider = Provider & { icon: string; actions: Action[] };

export const providersFolder = join(codeFolder, "providers");

// Beside the actions a provider's folder may hold these, and parts with a dash in their names, which no action's id can have.
const otherFiles = new Set(["index", "credential", "client", "webhook"]);
const isActionFile = (name: string): boolean => !otherFiles.has(name) && !name.includes("-");

/** Finds the providers by looking: a new folder is a new server. Refuses to start on anything that does not fit, naming all of it. */
export async function loadProviders(folder = providersFolder): Promise<LoadedProvider[]> {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("_"))
    .map((entry) => entry.name)
    .sort();
  const faults: string[] = [];
  const loaded = await Promise.all(names.map((name) => loadProvider(join(folder, name), name, faults)));
  const providers = loaded.filter((provider) => provider !== undefined);
  faults.push(...findRepetitions(providers));
  if (faults.length > 0) throw new Error(`The catalogue has faults:\n  ${faults.sort().join("\n  ")}`);
  return providers;
}

type Part = { provider?: Provider; action?: Action };

async function loadProvider(folder: string, name: string, faults: string[]): Promise<LoadedProvider | undefined> {
  const load = async (part: string): Promise<Part | undefined> => {
    const file = join(folder, part + codeExtension);
    const loading = import(pathToFileURL(file).href) as Promise<Part>;
    return await loading.catch((error: unknown) => void faults.push(describeFailure(error, { folder, name, file })));
  };
  const parts = readdirSync(folder)
    .filter((file) => file.endsWith(codeExtension) && !file.endsWith(".test.ts"))
    .map((file) => file.slice(0, -codeExtension.length));
  if (!parts.includes("index")) return void faults.push(`${name}: has no index.ts`);
  const index = await load("index");
  if (!index) return undefined;
  const { provider } = index;
  if (!provider) return void faults.push(`${name}/index.ts: exports no provider`);
  if (provider.id !== name)
    faults.push(`${name}/index.ts: the provider's id is ${provider.id}, not the name of its folder`);
  const icon = join(folder, "icon.svg");
  if (!existsSync(icon)) faults.push(`${name}: has no icon.svg`);
  faults.push(
    ...provider.polls.flatMap((poll) => checkPoll(poll, provider)).map((fault) => `${name}/index.ts: ${fault}`),
  );
  const actions: Action[] = [];
  for (const part of parts.filter(isActionFile).sort()) {
    const loaded = await load(part);
    const found = loaded ? checkPart(loaded, provider, part) : [];
    faults.push(...found.map((fault) => `${name}/${part}.ts: ${fault}`));
    if (loaded?.action) actions.push(loaded.action);
  }
  if (actions.length === 0) faults.push(`${name}: has no actions`);
  return { ...provider, icon: existsSync(icon) ? readFileSync(icon, "utf8") : "", actions };
}

/** Which file it was, which may be another one of the folder that the loaded one imports, and what is wrong with it. */
function describeFailure(
  error: unknown,
  { folder, name, file }: { folder: string; name: string; file: string },
): string {
  const { message = String(error), stack = "" } = error instanceof Error ? error : {};
  const place = stack.split(`${folder}/`)[1]?.match(/^([^\s:)'"]+)(:\d+)?/);
  const [reason = ""] = message.trim().split("\n");
  return `${name}/${place ? `${place[1]}${place[2] ?? ""}` : basename(file)}: cannot be loaded: ${reason}`;
}

const checkPart = ({ action }: Part, provider: Provider, part: string): string[] =>
  action ? checkAction(action, provider, part) : ["exports no action"];

function checkAction(action: Action, provider: Provider, part: string): string[] {
  const faults: string[] = [];
  const expectedId = `${provider.id}_${part}`;
  if (!action.id.startsWith(`${provider.id}_`))
    faults.push(`the action's id ${action.id} does not begin with ${provider.id}_`);
  else if (action.id !== expectedId) faults.push(`the action's id is ${action.id}, not ${expectedId}`);
  if (!/^[a-z0-9_]{1,64}$/.test(action.id)) faults.push(`the action's id ${action.id} is not 1-64 of a-z, 0-9 and _`);
  if (action.title === "" || action.description === "") faults.push("the action needs a title and a description");
  if (action.credential !== null && action.credential.type !== provider.credential?.type)
    faults.push(`the action asks for the unknown credential type ${action.credential.type}`);
  return [...faults, ...checkSchemas(action)];
}

function checkSchemas(action: Action): string[] {
  try {
    toJsonSchema(action.output, "output");
    const { additionalProperties, properties } = toJsonSchema(action.input, "input");
    const faults = additionalProperties === false ? [] : ["the input must be a strict object"];
    if (Object.hasOwn(properties as object, "credentials")) faults.push("`credentials` is not a name for an input");
    return faults;
  } catch (error) {
    return [`a schema has no JSON Schema form: ${(error as Error).message}`];
  }
}

function findRepetitions(providers: LoadedProvider[]): string[] {
  const repeated = (kind: string, ids: string[]) =>
    ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${kind} ${id} exists more than once`);
  const types = providers.flatMap(({ credential }) => (credential ? [credential.type] : []));
  return [
    ...repeated(
      "the action",
      providers.flatMap(({ actions }) => actions.map(({ id }) => id)),
    ),
    ...repeated("the credential type", types),
  ];
}
