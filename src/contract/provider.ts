import type { Credential } from "./credential.ts";
import type { Webhook } from "./webhook.ts";

/** A service with its nodes. Its tools are the files beside its index.ts; nothing lists them. */
export type Provider = {
  /** The folder's name and the MCP server's id. */
  id: string;
  title: string;
  description: string;
  credential: Credential | null;
  webhook: Webhook | null;
};

export const defineProvider = (descriptor: Omit<Provider, "webhook"> & { webhook?: Webhook }): Provider => ({
  webhook: null,
  ...descriptor,
});
