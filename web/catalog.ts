import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  CredentialTypeEntry,
  engineNodeList,
  NodeEntry,
  PollEntry,
  WebhookProviderEntry,
} from "../src/catalog/wire.ts";
import { get, type List } from "./request.ts";

// What can stand on a canvas. It only changes with the server, so it is asked for once.

export type EngineNode = z.infer<typeof engineNodeList>["data"][number];

/** A tool of a provider or a built-in node, as the canvas and its forms see both. */
export type NodeKind = {
  id: string;
  title: string;
  description: string;
  /** Other words that people look for it with. */
  synonyms: string[];
  /** Names of the fields that tell in a line what it does, where they are not the first that are required. */
  summary?: string[] | undefined;
  /** Where people look for it. */
  section: NodeEntry["section"];
  /** Null for a built-in node. */
  provider: { id: string; title: string } | null;
  /** Types of the credentials it needs. */
  credentials: string[];
  /** Types it takes in place of its own. */
  alsoTakes: string[];
  /** Whether it also works without one of them. */
  worksWithoutAccount: boolean;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown> | null;
  /** Names of its ways out; a switch has one more for each of its rules. */
  ways: string[];
  hints: NodeEntry["hints"] | null;
};

const once = { staleTime: Number.POSITIVE_INFINITY };

export const nodeKindsQuery = queryOptions({
  ...once,
  queryKey: ["node-kinds"],
  queryFn: async (): Promise<Map<string, NodeKind>> => {
    const [engineNodes, nodes] = await Promise.all([
      get<List<EngineNode>>("/api/engine-nodes"),
      get<List<NodeEntry>>("/api/nodes"),
    ]);
    const kinds = [
      ...engineNodes.data.map((node) => ({
        ...node,
        provider: null,
        credentials: [],
        alsoTakes: [],
        worksWithoutAccount: true,
        outputSchema: null,
        hints: null,
      })),
      ...nodes.data.map((node) => ({ ...node, ways: ["out"] })),
    ];
    return new Map(kinds.map((kind) => [kind.id, kind]));
  },
});

/** What a trigger can look for, by service. */
export const pollsQuery = queryOptions({
  ...once,
  queryKey: ["polls"],
  queryFn: async () => (await get<List<PollEntry>>("/api/polls")).data,
});

/** Who signs what it delivers to a webhook, and who can be told from here where to. */
export const webhookProvidersQuery = queryOptions({
  ...once,
  queryKey: ["webhook-providers"],
  queryFn: async () => (await get<List<WebhookProviderEntry>>("/api/webhook-providers")).data,
});

export const credentialTypesQuery = queryOptions({
  ...once,
  queryKey: ["credential-types"],
  queryFn: async () => (await get<List<CredentialTypeEntry>>("/api/credential-types")).data,
});
