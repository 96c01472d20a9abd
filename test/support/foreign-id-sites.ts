import type { Furnished } from "./furnish-organization.ts";

type Schema = {
  $ref?: string;
  format?: string;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  items?: Schema;
  additionalProperties?: unknown;
};
type Operation = {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
export type ApiRoute = { method: string; path: string; operation: Operation };
export type ApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** A place in a request that takes an id. `own` is the caller's organization, in which everything else of the request is right. */
export type IdSite = {
  name: string;
  path: (ids: Furnished, own: Furnished) => string;
  body?: (ids: Furnished, own: Furnished) => unknown;
};

export const preview = (others: object) => ({
  canvas: { nodes: [{ id: "a", nodeId: "merge" }], edges: [] },
  nodeId: "a",
  value: "1",
  ...others,
});

export const withReference = ({ others: { reference } }: Furnished) => ({
  nodes: [{ id: "issue", credentials: { github: reference } }],
});

const canvasWith = ({ others: { canvas, reference } }: Furnished) => {
  const nodes = canvas.nodes.map((node) =>
    "credentials" in node ? { ...node, credentials: { github: reference } } : node,
  );
  return { canvas: { ...canvas, nodes } };
};
const credentialsWith = ({ others: { reference } }: Furnished) => ({ credentials: { github: reference } });
const schedule = { kind: "schedule", name: "s", cron: "0 0 1 1 *", timeZone: "UTC", active: false };
const hook = { kind: "webhook", name: "w", provider: "github" };
const issue = { parameters: { owner: "a", repo: "b", title: "c" }, confirm: true };
const filling = { nodeId: "issue", instruction: "Fill" };

const ofKey = () => "/default-credentials/github";
const ofRecord = (_: Furnished, { recordId }: Furnished) => `/tool-calls/${recordId}/replay`;
const ofWorkflow = (rest: string) => (_: Furnished, own: Furnished) => `/workflows/${own.workflowId}${rest}`;
const ofRun = (_: Furnished, { runId }: Furnished) => `/runs/${runId}/rerun`;
const ofTrigger = (_: Furnished, { triggerId }: Furnished) => `/triggers/${triggerId}`;
const withOverrides = (ids: Furnished) => ({ overrides: withReference(ids).nodes });

/** Every one that the document knows in the paths of an organization. */
export const idSites: IdSite[] = [
  {
    name: "PUT default-credentials/{type} /apiKeyId",
    path: ofKey,
    body: ({ keyId }, own) => ({ apiKeyId: keyId, credentialId: own.credentialId }),
  },
  { name: "PUT default-credentials/{type} /credentialId", path: ofKey, body: ({ credentialId }) => ({ credentialId }) },
  { name: "DELETE default-credentials/{type} ?apiKeyId", path: ({ keyId }) => `${ofKey()}?apiKeyId=${keyId}` },
  { name: "GET tool-calls ?apiKeyId", path: ({ keyId }) => `/tool-calls?apiKeyId=${keyId}` },
  { name: "GET tool-calls/export ?apiKeyId", path: ({ keyId }) => `/tool-calls/export?apiKeyId=${keyId}` },
  { name: "POST tool-calls/{recordId}/replay /credentials", path: ofRecord, body: credentialsWith },
  {
    name: "POST tools/{toolName}/call /credentials",
    path: () => "/tools/github_create_issue/call",
    body: (ids) => ({ ...issue, ...credentialsWith(ids) }),
  },
  { name: "POST workflows /canvas", path: () => "/workflows", body: (ids) => ({ name: "x", ...canvasWith(ids) }) },
  {
    name: "PATCH workflows/{workflowId} /canvas",
    path: ofWorkflow(""),
    body: (ids) => ({ ...canvasWith(ids), expectedVersion: 1 }),
  },
  {
    name: "POST workflows /errorWorkflow",
    path: () => "/workflows",
    body: ({ workflowId }) => ({ name: "x", canvas: { nodes: [], edges: [] }, errorWorkflow: workflowId }),
  },
  {
    name: "PATCH workflows/{workflowId} /errorWorkflow",
    path: ofWorkflow(""),
    body: ({ workflowId }) => ({ errorWorkflow: workflowId }),
  },
  {
    name: "PUT workflow-defaults /errorWorkflowId",
    path: () => "/workflow-defaults",
    body: ({ workflowId }) => ({ errorWorkflowId: workflowId }),
  },
  {
    name: "POST workflows/bulk /ids",
    path: () => "/workflows/bulk",
    body: ({ workflowId }) => ({ ids: [workflowId], change: { folder: "Taken over" } }),
  },
  { name: "POST workflows/check /canvas", path: () => "/workflows/check", body: canvasWith },
  { name: "GET runs ?workflowId", path: ({ workflowId }) => `/runs?workflowId=${workflowId}` },
  { name: "GET runs ?parentRunId", path: ({ runId }) => `/runs?parentRunId=${runId}` },
  { name: "GET runs ?apiKeyId", path: ({ keyId }) => `/runs?apiKeyId=${keyId}` },
  { name: "POST workflows/{workflowId}/runs /nodes", path: ofWorkflow("/runs"), body: withReference },
  { name: "POST runs/{runId}/rerun /nodes", path: ofRun, body: withReference },
  {
    name: "GET workflows/{workflowId}/preview-scope ?runId",
    path: (ids, own) => `${ofWorkflow("/preview-scope")(ids, own)}?runId=${ids.runId}`,
  },
  {
    name: "POST workflows/{workflowId}/preview-value /canvas",
    path: ofWorkflow("/preview-value"),
    body: (ids) => ({ ...canvasWith(ids), nodeId: "issue", value: "1" }),
  },
  {
    name: "POST workflows/{workflowId}/preview-value /runId",
    path: ofWorkflow("/preview-value"),
    body: ({ runId }) => preview({ runId, value: "$trigger.prompt" }),
  },
  {
    name: "POST workflows/{workflowId}/preview-fill /canvas",
    path: ofWorkflow("/preview-fill"),
    body: (ids) => ({ ...canvasWith(ids), ...filling }),
  },
  {
    name: "POST workflows/{workflowId}/preview-fill /runId",
    path: ofWorkflow("/preview-fill"),
    body: ({ runId }, { others: { canvas } }) => ({ canvas, ...filling, runId }),
  },
  { name: "GET triggers ?workflowId", path: ({ workflowId }) => `/triggers?workflowId=${workflowId}` },
  {
    name: "POST triggers /workflowId",
    path: () => "/triggers",
    body: ({ workflowId }) => ({ ...schedule, workflowId }),
  },
  {
    name: "POST triggers /overrides",
    path: () => "/triggers",
    body: (ids, { workflowId }) => ({ ...schedule, workflowId, ...withOverrides(ids) }),
  },
  {
    name: "POST triggers /credentialId",
    path: () => "/triggers",
    body: ({ credentialId }, { workflowId }) => ({ ...hook, workflowId, credentialId }),
  },
  {
    name: "POST triggers/samples /credentialId",
    path: () => "/triggers/samples",
    body: ({ credentialId }) => ({
      provider: "http",
      event: "new_feed_entry",
      parameters: { url: "https://feed.test/" },
      credentialId,
    }),
  },
  { name: "PATCH triggers/{triggerId} /overrides", path: ofTrigger, body: withOverrides },
  { name: "PATCH triggers/{triggerId} /credentialId", path: ofTrigger, body: ({ credentialId }) => ({ credentialId }) },
];

/** The names of the places where an operation takes an id or a credential reference, as its description says. */
export function idSitesIn({ method, path, operation }: ApiRoute, { components }: ApiDocument): string[] {
  const found = new Set<string>();
  const walk = (given: Schema | undefined, at: string, depth = 0): void => {
    const schema = given?.$ref ? components.schemas[given.$ref.split("/").at(-1) ?? ""] : given;
    if (!schema || depth > 6) return;
    if (takesId(schema, at)) found.add(at.split("/").slice(0, 2).join("/"));
    for (const [part, one] of partsOf(schema)) walk(one, at + part, depth + 1);
  };
  walk(operation.requestBody?.content["application/json"]?.schema, "");
  for (const { name, schema } of (operation.parameters ?? []).filter((parameter) => parameter.in === "query"))
    walk(schema, `?${name}`);
  return [...found].map((at) => `${method} ${path.replace("/api/organizations/{organizationId}/", "")} ${at}`);
}

const takesId = ({ format, additionalProperties }: Schema, at: string): boolean =>
  format === "uuid" || (at.endsWith("/credentials") && additionalProperties !== undefined);

const partsOf = ({ anyOf = [], properties = {}, items }: Schema): [string, Schema][] => [
  ...anyOf.map((one): [string, Schema] => ["", one]),
  ...Object.entries(properties).map(([name, one]): [string, Schema] => [`/${name}`, one]),
  ...(items ? [["/*", items] as [string, Schema]] : []),
];
