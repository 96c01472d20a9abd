import { queryOptions } from "@tanstack/react-query";
import type { ToolCallRequest } from "../../src/calls/wire.ts";
import type { ServerEntry, ServerTool } from "../../src/catalog/wire.ts";
import type { ToolCall } from "../../src/history/wire.ts";
import { get, type List, path, post } from "../request.ts";

export type Server = ServerEntry;
export type { ServerTool };

/** The public servers. They only change with the product. */
export const serversQuery = queryOptions({
  queryKey: ["servers"],
  queryFn: async () => (await get<List<Server>>("/api/servers")).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Calls a tool as the person who is signed in. It is recorded like every other call; the answer is that record. */
export const callTool = (organizationId: string, tool: string, body: ToolCallRequest) =>
  post<ToolCall>(path`/api/organizations/${organizationId}/tools/${tool}/call`, body);
