import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { agreedPlatformTools } from "./agreed-catalogue.ts";

type ToolsById = Readonly<Record<string, readonly string[]>>;

const folder = path.join(import.meta.dirname, "../../../src/providers");
const otherFiles = ["index.ts", "credential.ts", "client.ts", "webhook.ts"];
const isTool = (file: string): boolean => /^[a-z0-9_]+\.ts$/.test(file) && !otherFiles.includes(file);

const toolsOf = (id: string): string[] =>
  readdirSync(path.join(folder, id))
    .filter(isTool)
    .map((file) => `${id}_${file.replace(/\.ts$/, "")}`)
    .sort();

const providerIds = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith("_"))
  .map(({ name }) => name)
  .sort();
const toolsByProvider: ToolsById = Object.fromEntries(providerIds.map((id) => [id, toolsOf(id)]));
const toolsByServer: ToolsById = { ...toolsByProvider, platform: agreedPlatformTools };

/**
 * What the folders of providers hold, by the names of folders and files alone: whoever compares the product with this does not compare it with
 * what it says of itself. Every provider is a server, and so is the account. All lists are sorted.
 */
export const onDisk = {
  providerIds,
  providerTools: Object.values(toolsByProvider).flat().sort(),
  providersWithAccounts: providerIds.filter((id) => existsSync(path.join(folder, id, "credential.ts"))),
  toolsByProvider,
  serverIds: Object.keys(toolsByServer).sort(),
  serverTools: Object.values(toolsByServer).flat().sort(),
  toolsByServer,
};

/** What a list of servers says, in the form of `toolsByServer`. */
export const nameTools = (
  servers: readonly { id: string; tools: readonly { name: string }[] }[],
): Record<string, string[]> =>
  Object.fromEntries(servers.map(({ id, tools }) => [id, tools.map(({ name }) => name).sort()]));
