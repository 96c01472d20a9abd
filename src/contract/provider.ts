import type { Credential } from "./credential.ts";
import type { Poll } from "./poll.ts";
import type { Webhook } from "./webhook.ts";

/** A service with its nodes. Its tools are the files beside its index.ts; nothing lists them. */
export type Provider = {
  /** The folder's name and the MCP server's id. */
  id: string;
  title: string;
  description: string;
  /** Other words that people look for it with. */
  synonyms: readonly string[];
  /** Where people look for its nodes: among the apps, unless it works on data as such or is a model. */
  section: "apps" | "data" | "ai";
  credential: Credential | null;
  webhook: Webhook | null;
  /** What a trigger can look for, where the service has no webhook that people can use. */
  polls: readonly Poll[];
};

export const defineProvider = (
  descriptor: Omit<Provider, "synonyms" | "section" | "webhook" | "polls"> & Partial<Provider>,
): Provider => ({
  synonyms: [],
  section: "apps",
  webhook: null,
  polls: [],
  ...descriptor,
});
