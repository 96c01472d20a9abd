import type { CanvasEdge, CanvasNode } from "../../../src/workflows/wire.ts";
import { signUpOwner } from "../people.ts";
import { startTestApp } from "../test-app.ts";

type Options = NonNullable<Parameters<typeof startTestApp>[0]>;

export type WorkflowApp = Awaited<ReturnType<typeof startWorkflowApp>>;

export type RunAnswer = {
  id: string;
  status: string;
  error: { code: string; message: string; nodeId: string | null } | null;
  nodes: {
    id: string;
    status: string;
    attempts: number;
    outputs: Record<string, unknown>[] | null;
    [field: string]: unknown;
  }[];
  result: Record<string, unknown>[] | null;
  [field: string]: unknown;
};

export const node = (
  id: string,
  nodeId: string,
  parameters: object = {},
  others: Partial<CanvasNode> = {},
): CanvasNode => ({
  id,
  nodeId,
  parameters: parameters as Record<string, unknown>,
  ...others,
});

/** `a>b` or, for a way out of a node, `a.true>b`. */
export const edges = (...texts: string[]): CanvasEdge[] =>
  texts.map((text, index) => {
    const [from = "", target = ""] = text.split(">");
    const [source = "", sourceHandle] = from.split(".");
    return { id: `e${index}`, source, target, ...(sourceHandle ? { sourceHandle } : {}) };
  });

/** The application with a person, a key that starts runs, and short ways to workflows and runs. */
export async function startWorkflowApp(options: Options = {}) {
  const app = await startTestApp({
    ...options,
    environment: { RATE_LIMIT_API_KEY_PER_MINUTE: "1000000", ...options.environment },
  });
  const owner = await signUpOwner(app, "Ann");
  const createKey = async (organizationId = owner.organizationId) =>
    (
      await app.parts.identity.apiKeys.create(organizationId, {
        name: "runner",
        scopes: ["workflows:trigger"],
        createdBy: null,
      })
    ).key;
  const key = await createKey();
  const path = `/api/organizations/${owner.organizationId}`;

  async function trigger(workflowId: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${app.platformUrl}/task-runner/trigger/${workflowId}`, {
      method: "POST",
      headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (text ? JSON.parse(text) : undefined) as RunAnswer & { code?: string },
    };
  }

  async function readRun(id: string, apiKey = key) {
    const response = await fetch(`${app.platformUrl}/task-runner/executions/${id}`, {
      headers: { "x-api-key": apiKey },
    });
    return { status: response.status, body: (await response.json()) as RunAnswer & { code?: string } };
  }

  return {
    app,
    owner,
    key,
    createKey,
    path,
    trigger,
    readRun,

    async save(nodes: CanvasNode[], lines: CanvasEdge[] = [], name = "Test"): Promise<string> {
      const { status, body } = await owner.browser.post(`${path}/workflows`, { name, canvas: { nodes, edges: lines } });
      if (status !== 201) throw new Error(`saving answered ${status}: ${JSON.stringify(body)}`);
      return body.id as string;
    },

    /** Starts a run and waits for its end. */
    async run(workflowId: string, body?: unknown): Promise<RunAnswer> {
      const answer = await trigger(workflowId, body, { prefer: "wait=30" });
      if (answer.status !== 200) throw new Error(`the run answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },

    async ended(id: string, limitMs = 20_000): Promise<RunAnswer> {
      const untilMs = Date.now() + limitMs;
      for (;;) {
        const { body } = await readRun(id);
        if (["succeeded", "failed", "cancelled"].includes(body.status)) return body;
        if (Date.now() > untilMs) throw new Error(`the run is still ${body.status}`);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },

    stop: () => app.stop(),
  };
}
