import { expect } from "vitest";
import { node, startWorkflowApp } from "../runs/workflow-app.ts";
import type { startTestApp } from "../test-app.ts";

type Options = Parameters<typeof startTestApp>[0];

export type MadeWebhook = { id: string; webhookUrl: string; credentialId: string; [field: string]: unknown };
export type WebhookApp = Awaited<ReturnType<typeof startWebhookApp>>;

/** The application with short ways to webhooks of providers, to deliveries, and to the runs that they start. */
export async function startWebhookApp(options: Options = {}) {
  const flows = await startWorkflowApp({
    ...options,
    environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8", ...options?.environment },
  });
  const { app, owner } = flows;
  const workflowId = await flows.save([node("a", "set_fields", { fields: { x: "1" } })]);
  const path = `${flows.path}/triggers`;

  async function connect(provider: string, data: Record<string, unknown>): Promise<string> {
    const type = app.parts.catalog.providers.find(({ id }) => id === provider)?.credential?.type;
    const { status, body } = await owner.browser.post(`${flows.path}/credentials`, { type, name: provider, data });
    expect([status, body.errors]).toEqual([201, undefined]);
    return body.id as string;
  }

  return {
    flows,
    app,
    owner,
    workflowId,
    path,
    connect,

    async ofProvider(
      provider: string,
      data: Record<string, unknown>,
      fields: Record<string, unknown> = {},
    ): Promise<MadeWebhook> {
      const wanted = {
        workflowId,
        kind: "webhook",
        name: "Hook",
        provider,
        credentialId: await connect(provider, data),
        ...fields,
      };
      const { status, body } = await owner.browser.post(path, wanted);
      expect([status, body.errors]).toEqual([201, undefined]);
      return body as MadeWebhook;
    },

    read: async (triggerId: string) => (await owner.browser.get(`${path}/${triggerId}`)).body,

    /** `$trigger` of the runs that a webhook started, in order. */
    async startedBy(triggerId: string): Promise<Record<string, unknown>[]> {
      const rows = await app.database.query<{ data: string }>(
        "SELECT trigger_data AS data FROM run WHERE trigger_id = $1 ORDER BY id",
        [triggerId],
      );
      return rows.map(({ data }) => JSON.parse(data));
    },

    stop: () => flows.stop(),
  };
}

export async function deliver(url: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}
