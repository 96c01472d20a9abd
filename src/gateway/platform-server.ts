import { toJsonSchema } from "../catalog/json-schema.ts";
import { toAnnotations } from "../catalog/mcp-tool.ts";
import type { History } from "../history/history.ts";
import type { Organizations } from "../identity/organizations.ts";
import type { Plans } from "../plans/plans.ts";
import type { RunList } from "../runs/read/run-list.ts";
import type { Triggers } from "../triggers/triggers.ts";
import type { Credentials } from "../vault/credentials.ts";
import type { Workflows } from "../workflows/workflows.ts";
import { createMcpServer } from "./mcp-server.ts";
import { readPlatformIcon } from "./platform-icon.ts";
import type { PlatformTool } from "./platform-tools/define-platform-tool.ts";
import { createGetCreditBalance } from "./platform-tools/get-credit-balance.ts";
import { createGetExecution } from "./platform-tools/get-execution.ts";
import { createGetMe } from "./platform-tools/get-me.ts";
import { createGetWorkflow } from "./platform-tools/get-workflow.ts";
import { createListCredentials } from "./platform-tools/list-credentials.ts";
import { createListExecutions } from "./platform-tools/list-executions.ts";
import { createListToolInvocations } from "./platform-tools/list-tool-invocations.ts";
import { createListTriggers } from "./platform-tools/list-triggers.ts";
import { createListWorkflows } from "./platform-tools/list-workflows.ts";
import { createSetTriggerActive } from "./platform-tools/set-trigger-active.ts";

export type PlatformParts = {
  organizations: Pick<Organizations, "member" | "listOf">;
  credentials: Pick<Credentials, "search">;
  calls: Pick<History["calls"], "page">;
  workflows: Pick<Workflows, "page" | "get">;
  triggers: Pick<Triggers, "page" | "setActive">;
  runs: Pick<RunList, "page" | "get">;
  /** Only where calls cost something. */
  credits?: Pick<Plans, "balanceOf">;
};

/** The server about the caller's own account. Only OAuth: a key belongs to an organization and has no user. */
export function createPlatformServer(parts: PlatformParts, version: string) {
  const { organizations, credentials, calls, workflows, triggers, runs, credits } = parts;
  const tools: PlatformTool[] = [
    createGetMe(organizations),
    createListWorkflows(workflows),
    createGetWorkflow(workflows),
    createListTriggers(triggers),
    createSetTriggerActive(triggers),
    createListExecutions(runs),
    createGetExecution(runs),
    createListToolInvocations(calls),
    createListCredentials(credentials),
    ...(credits ? [createGetCreditBalance(credits)] : []),
  ];
  return createMcpServer({
    id: "platform",
    title: "Switchyard",
    description: "Your own account: workflows, triggers, runs, tool calls and credentials.",
    instructions:
      "Reads and manages the Switchyard account of the user, in the organization this connection was approved for. " +
      "platform_list_credentials returns the references that tools of the other servers take as `credentials`.",
    version,
    icon: readPlatformIcon(),
    scopes: ["platform:read", "platform:write"],
    acceptsApiKeys: false,
    acceptsTokens: true,
    tools: tools.map((tool) => ({
      name: tool.id,
      title: tool.title,
      description: tool.description,
      inputSchema: toJsonSchema(tool.input, "input"),
      outputSchema: toJsonSchema(tool.output, "output"),
      annotations: toAnnotations(tool.title, tool.hints),
      credentials: [],
      scope: tool.scope,
      target: tool,
    })),
  });
}
