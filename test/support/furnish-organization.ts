import { vi } from "vitest";
import type { Browser } from "./browser-client.ts";

export type Furnished = Awaited<ReturnType<typeof furnishOrganization>>;

type Owner = { browser: Browser; organizationId: string };

/** One of everything an organization can have an id for, made through the API; the names are those of the paths. */
export async function furnishOrganization(
  { browser, organizationId }: Owner,
  { baseUrl, tag }: { baseUrl: string; tag: string },
) {
  const path = `/api/organizations/${organizationId}`;
  const make = async (route: string, body: unknown) => {
    const answer = await browser.post(path + route, body);
    if (answer.status >= 300) throw new Error(`${route} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  const first = async (route: string): Promise<{ id: string }> => (await browser.get(path + route)).body.data[0];

  const key = await make("/api-keys", { name: `key of ${tag}`, scopes: ["workflows:trigger", "mcp:invoke"] });
  const data = { kind: "bearer", accessToken: `secret of ${tag}`, baseUrl };
  const credential = await make("/credentials", { type: "github", name: `account of ${tag}`, data });
  const parameters = { owner: "acme", repo: "site", title: `issue of ${tag}` };
  const nodes = [
    { id: "now", nodeId: "system_date_time", parameters: {} },
    {
      id: "issue",
      nodeId: "github_create_issue",
      parameters,
      credentials: { github: credential.reference },
      settings: { disabled: true },
    },
  ];
  const canvas = { nodes, edges: [{ id: "e", source: "now", target: "issue" }] };
  const tool = { name: `tool_of_${tag}`, inputs: [] };
  const workflow = await make("/workflows", { name: `workflow of ${tag}`, canvas, tool });
  const draft = { canvas: { ...canvas, edges: [{ id: `draft of ${tag}` }] }, expectedVersion: 1, publish: false };
  const { status } = await browser.patch(`${path}/workflows/${workflow.id}`, draft);
  if (status !== 200) throw new Error(`saving a draft answered ${status}`);
  await browser.send("PUT", `${path}/variables/region`, { value: `variable of ${tag}` });
  const run = await make(`/workflows/${workflow.id}/runs`, {});
  const trigger = await make("/triggers", {
    workflowId: workflow.id,
    kind: "webhook",
    name: `hook of ${tag}`,
    signature: "none",
  });
  // Refused, so that it starts nothing.
  await fetch(trigger.webhookUrl, { method: "GET" });
  const endpoint = await make("/event-endpoints", { url: "https://127.0.0.1:9/hook", types: ["run.failed"] });
  await make(`/event-endpoints/${endpoint.id}/test`, undefined);
  await make("/tools/system_date_time/call", { parameters: {} });
  const invitation = await make("/invitations", { email: `guest-of-${tag}@example.com`, role: "viewer" });
  return {
    organizationId,
    keyId: key.id as string,
    credentialId: credential.id as string,
    workflowId: workflow.id as string,
    version: "1",
    otherVersion: "1",
    runId: run.id as string,
    executionId: run.id as string,
    triggerId: trigger.id as string,
    endpointId: endpoint.id as string,
    deliveryId: (await first(`/event-endpoints/${endpoint.id}/deliveries`)).id,
    webhookDeliveryId: await vi.waitFor(async () => (await first(`/triggers/${trigger.id}/deliveries`)).id),
    recordId: (await first("/tool-calls")).id,
    invitationId: invitation.id as string,
    memberId: (await first("/members")).id,
    /** What is no part of a path. */
    others: {
      key: key.key as string,
      reference: credential.reference as string,
      toolName: tool.name,
      webhookUrl: trigger.webhookUrl as string,
      canvas,
    },
  };
}
