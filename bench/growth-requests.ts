import { toTimeCursor } from "../src/base/time-cursor.ts";
import { type Installation, person } from "./open-installation.ts";
import type { sendRequests } from "./send-requests.ts";

export type Request = Omit<Parameters<typeof sendRequests>[0], "connections" | "forMs">;

/** Every list, search, page, sign-in and call, by what people would call it. */
export async function listRequests(installation: Installation): Promise<Record<string, Request>> {
  const places = await findPlaces(installation);
  return {
    ...listsOf(installation, places),
    ...historiesOf(installation, places),
    ...pagesOf(installation, places),
    ...callsOf(installation),
    ...platformToolsOf(installation, places),
  };
}

type Places = Awaited<ReturnType<typeof findPlaces>>;

/** Something of each kind that lies behind nine tenths of the others. */
async function findPlaces({ query, organizationId }: Installation) {
  const deep = async (table: string, order: string, columns: string) => {
    const where = `FROM ${table} WHERE organization_id = $1`;
    const [row] = await query(
      `SELECT ${columns} ${where} ORDER BY ${order} OFFSET (SELECT count(*) * 9 / 10 ${where}) LIMIT 1`,
      [organizationId],
    );
    return row as Record<string, string>;
  };
  const at = (column: string) => `((extract(epoch FROM ${column}) * 1000000)::bigint)::text AS at, id`;
  const [run, call, trigger] = [
    await deep("run", "id DESC", "id, workflow_id"),
    await deep("tool_call", "id DESC", "id"),
    await deep("trigger", "id DESC", "id"),
  ];
  const credential = await deep("credential", "created_at DESC, id DESC", at("created_at"));
  const [{ count } = { count: 0 }] = await query("SELECT count(*) FROM workflow WHERE organization_id = $1", [
    organizationId,
  ]);
  return {
    run,
    call,
    trigger,
    credential: { id: credential.id ?? "", cursor: toTimeCursor(credential as { at: string; id: string }) },
    workflowOffset: Math.floor(Number(count) * 0.9),
  };
}

/** What the pages ask for, with the session of a person. */
function createGet({ platformUrl, organizationId, cookie }: Installation) {
  const get = (path: string): Request => ({
    url: platformUrl + path,
    method: "GET",
    body: "",
    headers: { Cookie: cookie, Origin: platformUrl },
  });
  return { get, ofOrganization: (path: string) => get(`/api/organizations/${organizationId}${path}`) };
}

function listsOf(installation: Installation, { credential, trigger, workflowOffset }: Places): Record<string, Request> {
  const { ofOrganization: get } = createGet(installation);
  return {
    "workflows, first page": get("/workflows"),
    "workflows, deep page": get(`/workflows?limit=25&offset=${workflowOffset}`),
    "workflows, search for one": get("/workflows?search=000299"),
    "workflows, search without a hit": get("/workflows?search=nowhere"),
    members: get("/members"),
    invitations: get("/invitations"),
    "API keys": get("/api-keys"),
    "accounts, first page": get("/credentials"),
    "accounts, deep page": get(`/credentials?limit=25&cursor=${credential.cursor}`),
    "default accounts": get("/default-credentials"),
    connections: get("/connections"),
    "triggers, first page": get("/triggers"),
    "triggers, deep page": get(`/triggers?limit=25&cursor=${trigger.id}`),
    "triggers, failing": get("/triggers?failing=true"),
    "triggers of one workflow": get(`/triggers?workflowId=${installation.workflowId}`),
    slots: get("/slots"),
  };
}

function historiesOf(installation: Installation, { run, call }: Places): Record<string, Request> {
  const { ofOrganization: get } = createGet(installation);
  const key = installation.apiKeyId;
  const other = run.workflow_id;
  const callCursor = Buffer.from((call.id ?? "").replaceAll("-", ""), "hex").toString("base64url");
  return {
    "runs, first page": get("/runs"),
    "runs, deep page": get(`/runs?cursor=${run.id}`),
    "runs, failed": get("/runs?status=failed"),
    "runs, failed, deep page": get(`/runs?status=failed&cursor=${run.id}`),
    "runs, by kind": get("/runs?executionType=schedule"),
    "runs, by key": get(`/runs?apiKeyId=${key}`),
    "runs, of the busy workflow": get(`/runs?workflowId=${installation.workflowId}`),
    "runs, of the busy workflow, deep page": get(`/runs?workflowId=${installation.workflowId}&cursor=${run.id}`),
    "runs, of another workflow": get(`/runs?workflowId=${other}&limit=5`),
    "runs, of the busy workflow, failed": get(`/runs?workflowId=${installation.workflowId}&status=failed`),
    "runs, search": get("/runs?search=did%20not"),
    "runs, search without a hit": get("/runs?search=nowhere"),
    "calls, first page": get("/tool-calls"),
    "calls, deep page": get(`/tool-calls?cursor=${callCursor}`),
    "calls, failed": get("/tool-calls?status=failed"),
    "calls, by tool": get("/tool-calls?tool=tool_7"),
    "calls, by server": get("/tool-calls?serverId=server_3"),
    "calls, by key": get(`/tool-calls?apiKeyId=${key}`),
    "calls, by tool and status": get("/tool-calls?tool=tool_7&status=failed"),
    "calls, search": get("/tool-calls?search=green"),
    "calls, search without a hit": get("/tool-calls?search=nowhere"),
    "usage, one day": get("/usage?days=1"),
    "usage, 30 days": get("/usage?days=30"),
  };
}

function pagesOf(installation: Installation, { run, call, trigger, credential }: Places): Record<string, Request> {
  const { get, ofOrganization } = createGet(installation);
  const { workflowId, platformUrl } = installation;
  return {
    "who I am": get("/api/me"),
    "home, runs": ofOrganization("/runs?limit=8"),
    "home, calls": ofOrganization("/tool-calls?limit=8"),
    "page of a run": ofOrganization(`/runs/${run.id}`),
    "page of a call": ofOrganization(`/tool-calls/${call.id}`),
    "page of a workflow": ofOrganization(`/workflows/${workflowId}`),
    "versions of a workflow": ofOrganization(`/workflows/${workflowId}/versions`),
    "values for the canvas": ofOrganization(`/workflows/${workflowId}/preview-scope`),
    "page of a trigger": ofOrganization(`/triggers/${trigger.id}`),
    "page of an account": ofOrganization(`/credentials/${credential.id}`),
    "uses of an account": ofOrganization(`/credentials/${credential.id}/uses`),
    "sign-in": {
      url: `${platformUrl}/api/sign-in`,
      body: JSON.stringify({ email: "person-150@example.com", password: person.password }),
      headers: { Origin: platformUrl },
    },
    "sign-in with an unknown address": {
      url: `${platformUrl}/api/sign-in`,
      body: JSON.stringify({ email: "nobody@example.com", password: person.password }),
      headers: { Origin: platformUrl },
      status: 401,
    },
  };
}

function callsOf(installation: Installation): Record<string, Request> {
  const { gatewayUrl, platformUrl, mcpKey, triggerKey, workflowId, reference, serviceUrl } = installation;
  const given = { url: serviceUrl, credentials: { http_auth: reference } };
  const key = { "X-API-Key": mcpKey };
  const run: Request = {
    url: `${platformUrl}/task-runner/trigger/${workflowId}`,
    body: "{}",
    headers: { "X-API-Key": triggerKey },
    status: 202,
  };
  return {
    "tools/list": toMessage(`${gatewayUrl}/http/mcp`, key, "tools/list", {}),
    "tools/list of own workflows": toMessage(`${gatewayUrl}/workflows/mcp`, key, "tools/list", {}),
    "call of a tool": toMessage(`${gatewayUrl}/system/mcp`, key, "tools/call", {
      name: "system_date_time",
      arguments: {},
    }),
    "call with an account": toMessage(`${gatewayUrl}/http/mcp`, key, "tools/call", {
      name: "http_request",
      arguments: given,
    }),
    "trigger of a run": run,
    "trigger of a run, waiting": { ...run, headers: { ...run.headers, Prefer: "wait=30" }, status: 200 },
  };
}

function platformToolsOf(installation: Installation, { run, call }: Places): Record<string, Request> {
  const token = { Authorization: `Bearer ${installation.accessToken}` };
  const use = (name: string, given: object = {}) =>
    toMessage(`${installation.gatewayUrl}/platform/mcp`, token, "tools/call", { name, arguments: given });
  return {
    "platform tool: me": use("platform_get_me"),
    "platform tool: workflows": use("platform_list_workflows"),
    "platform tool: triggers": use("platform_list_triggers"),
    "platform tool: runs": use("platform_list_executions"),
    "platform tool: runs, deep page": use("platform_list_executions", { cursor: run.id }),
    "platform tool: calls": use("platform_list_tool_invocations"),
    "platform tool: calls, deep page": use("platform_list_tool_invocations", { cursor: call.id }),
    "platform tool: accounts": use("platform_list_credentials"),
    "platform tool: accounts, search": use("platform_list_credentials", { search: "000299" }),
  };
}

const toMessage = (url: string, own: Record<string, string>, method: string, params: object): Request => ({
  url,
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  headers: { Accept: "application/json", "MCP-Protocol-Version": "2025-11-25", ...own },
});
