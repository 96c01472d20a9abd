import { useQuery } from "@tanstack/react-query";
import type { ToolInput, WorkflowSummary } from "../../../src/workflows/wire.ts";
import { type Server, type ServerTool, serversQuery } from "../../api/servers.ts";
import { allWorkflowsQuery } from "../../api/workflows.ts";

/** Every server that clients of an organization can connect to: the public ones, and its own when it offers workflows as tools. */
export function useOrganizationServers(organizationId: string) {
  const servers = useQuery(serversQuery);
  // What is offered may have changed a moment ago, in the editor or by somebody else.
  const workflows = useQuery({ ...allWorkflowsQuery(organizationId), staleTime: 0 });
  return {
    servers: servers.data && workflows.data && addWorkflowServer(servers.data, workflows.data),
    error: servers.error ?? workflows.error,
    retry: () => Promise.all([servers.refetch(), workflows.refetch()]),
  };
}

/** The server that an organization has for itself, with its workflows as tools. */
export const workflowServerId = "workflows";

type OfferedWorkflow = WorkflowSummary & { tool: NonNullable<WorkflowSummary["tool"]> };

/** As the server itself sees it: a workflow that is switched off is no tool. */
const isOffered = (workflow: WorkflowSummary): workflow is OfferedWorkflow =>
  workflow.isActive && workflow.tool !== null;

function addWorkflowServer(servers: Server[], workflows: WorkflowSummary[]): Server[] {
  const offered = workflows.filter(isOffered);
  const url = findServerUrl(servers, workflowServerId);
  if (offered.length === 0 || url === undefined) return servers;
  const own: Server = {
    id: workflowServerId,
    title: "Workflows",
    description: "The workflows that this organization offers as tools. Nobody else sees this server.",
    url,
    toolCount: offered.length,
    credentialTypes: [],
    usesOAuthOnly: false,
    tools: offered.map(toServerTool),
  };
  return [own, ...servers];
}

/** The address of a server that is in no public list. All of them follow one pattern, which the addresses of the others give away. */
export function findServerUrl(servers: Server[], serverId: string): string | undefined {
  const patterns = servers.map(({ id, url }) => url.replaceAll(id, "{serverId}"));
  const pattern = patterns.find((candidate) =>
    servers.every(({ id, url }) => candidate.replaceAll("{serverId}", id) === url),
  );
  return pattern?.replaceAll("{serverId}", serverId);
}

function toServerTool({ name, description, tool }: OfferedWorkflow): ServerTool {
  return {
    name: tool.name,
    title: name,
    description: description || `Runs the workflow ${name}.`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(tool.inputs.map((input) => [input.name, toPropertySchema(input)])),
      required: tool.inputs.filter(({ required }) => required).map(({ name: field }) => field),
    },
    outputSchema: workflowOutputSchema,
    credentials: [],
    alsoTakes: [],
    worksWithoutAccount: true,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  };
}

const workflowOutputSchema = {
  type: "object",
  properties: {
    runId: { type: "string", format: "uuid" },
    status: {
      type: "string",
      enum: ["pending", "succeeded"],
      description: "`pending`: the run goes on; ask for it later.",
    },
    items: { type: "array", items: { type: "object" }, description: "What came out of the workflow." },
  },
  required: ["runId", "status", "items"],
};

const toPropertySchema = ({ type, description }: ToolInput) => ({ type, description });
