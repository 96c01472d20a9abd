import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMcpClient, type RpcAnswer } from "../support/gateway/mcp-client.ts";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { roundsLimitMs, roundsOf } from "../support/rounds.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

const rounds = roundsOf(5, 200);
let workflow: WorkflowApp;
let provider: CountingProvider;

beforeAll(async () => {
  provider = await startCountingProvider();
  workflow = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
});
afterAll(async () => {
  await workflow?.stop();
  await provider?.stop();
});

const parts = () => workflow.app.parts;
const organizationId = () => workflow.owner.organizationId;
const createKey = () =>
  parts().identity.apiKeys.create(organizationId(), { name: "raced", scopes: ["mcp:invoke"], createdBy: null });
const createCredential = () =>
  parts().vault.credentials.create(organizationId(), {
    type: "github",
    name: "raced",
    createdBy: null,
    data: { kind: "bearer", accessToken: "t", baseUrl: provider.url },
  });
const callWith = (key: string, reference: string, title = "x") =>
  createMcpClient(workflow.app.gatewayUrl, { "x-api-key": key }).legacy("github", "tools/call", {
    name: "github_create_issue",
    arguments: { owner: "acme", repo: "site", title, credentials: { github: reference } },
  });
const codeOf = ({ json }: RpcAnswer) => json.result?._meta?.["switchyard/error"]?.code;
const times = <Value>(count: number, make: (index: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

it(
  "a key that is made anew while it is used works until the answer and never after it",
  async () => {
    const { reference } = await createCredential();
    for (let round = 0; round < rounds; round++) {
      const { id, key } = await createKey();
      const regenerate = async () => {
        const answer = await workflow.owner.browser.post(`${workflow.path}/api-keys/${id}/regenerate`);
        return { answer, late: await callWith(key, reference) };
      };
      const [{ answer, late }, ...calls] = await Promise.all([
        regenerate(),
        ...Array.from({ length: 6 }, () => callWith(key, reference)),
      ]);
      expect(answer.status).toBe(200);
      expect(late.status).toBe(401);
      for (const { status } of calls) expect([200, 401]).toContain(status);
      expect((await callWith(answer.body.key, reference)).status).toBe(200);
    }
  },
  roundsLimitMs,
);

it(
  "one of many who make a key anew at once has the key that works",
  async () => {
    const { reference } = await createCredential();
    for (let round = 0; round < rounds; round++) {
      const { id } = await createKey();
      const answers = await times(5, () => workflow.owner.browser.post(`${workflow.path}/api-keys/${id}/regenerate`));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const used = await Promise.all(answers.map(({ body }) => callWith(body.key, reference)));
      expect(used.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    }
  },
  roundsLimitMs,
);

it(
  "a credential that is deleted while it is used either serves the call or is not there",
  async () => {
    const { key } = await createKey();
    for (let round = 0; round < rounds; round++) {
      const { id, reference } = await createCredential();
      const remove = async () => {
        const { status } = await workflow.owner.browser.delete(`${workflow.path}/credentials/${id}`);
        return { status, late: codeOf(await callWith(key, reference)) };
      };
      const [removed, ...calls] = await Promise.all([
        remove(),
        ...Array.from({ length: 6 }, () => callWith(key, reference)),
      ]);
      expect(removed).toEqual({ status: 204, late: "credential_not_accessible" });
      for (const answer of calls) {
        expect(answer.status).toBe(200);
        expect(["credential_not_accessible", undefined]).toContain(codeOf(answer));
      }
    }
  },
  roundsLimitMs,
);

it(
  "a credential is never left as a default after it was deleted",
  async () => {
    for (let round = 0; round < rounds; round++) {
      const { id } = await createCredential();
      const bind = () =>
        workflow.owner.browser.send("PUT", `${workflow.path}/default-credentials/github`, { credentialId: id });
      const answers = await Promise.all([
        bind(),
        workflow.owner.browser.delete(`${workflow.path}/credentials/${id}?force=true`),
        bind(),
      ]);
      for (const { status } of answers) expect(status).toBeLessThan(500);
      const { body } = await workflow.owner.browser.get(`${workflow.path}/default-credentials`);
      const left = (await workflow.owner.browser.get(`${workflow.path}/credentials/${id}`)).status === 200;
      if (!left) expect(JSON.stringify(body)).not.toContain(id);
      await workflow.owner.browser.delete(`${workflow.path}/default-credentials/github`);
    }
  },
  roundsLimitMs,
);

it(
  "a workflow that is deleted while it is started has all its accepted runs end, and starts none afterwards",
  async () => {
    for (let round = 0; round < rounds; round++) {
      const id = await workflow.save([node("a", "system_date_time"), node("b", "merge")], edges("a>b"));
      const remove = async () => {
        const { status } = await workflow.owner.browser.delete(`${workflow.path}/workflows/${id}`);
        return { status, late: (await workflow.trigger(id)).status };
      };
      const [removed, ...started] = await Promise.all([
        remove(),
        ...Array.from({ length: 6 }, () => workflow.trigger(id)),
      ]);
      expect(removed).toEqual({ status: 204, late: 404 });
      for (const { status } of started) expect([202, 404]).toContain(status);
      const accepted = started.filter(({ status }) => status === 202);
      for (const { body } of accepted)
        expect(["succeeded", "failed", "cancelled"]).toContain((await workflow.ended(body.id)).status);
    }
  },
  roundsLimitMs,
);

it(
  "one idempotency key with different bodies at once starts one run",
  async () => {
    const id = await workflow.save([node("a", "system_date_time")]);
    for (let round = 0; round < rounds; round++) {
      const key = randomUUID();
      const answers = await times(8, (index) =>
        workflow.trigger(id, { runtimePrompt: `p${index % 4}` }, { "idempotency-key": key }),
      );
      for (const { status } of answers) expect([202, 409, 422]).toContain(status);
      const runs = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.id));
      expect(runs.size).toBe(1);
    }
  },
  roundsLimitMs,
);

it(
  "one of many changes made on the same version of a canvas wins",
  async () => {
    for (let round = 0; round < rounds; round++) {
      const id = await workflow.save([node("a", "system_date_time")]);
      const answers = await times(5, (index) =>
        workflow.owner.browser.patch(`${workflow.path}/workflows/${id}`, {
          canvas: { nodes: [node(`n${index}`, "system_date_time")], edges: [] },
          expectedVersion: 1,
        }),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    }
  },
  roundsLimitMs,
);

it(
  "two workflows that want the same tool's name at once do not both get it",
  async () => {
    for (let round = 0; round < rounds; round++) {
      const tool = { name: `raced_${randomUUID().replaceAll("-", "_")}`, inputs: [] };
      const canvas = { nodes: [node("a", "system_date_time")], edges: [] };
      const answers = await times(4, () =>
        workflow.owner.browser.post(`${workflow.path}/workflows`, { name: "t", canvas, tool }),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    }
  },
  roundsLimitMs,
);

it(
  "a trigger that is deleted or turned off while it is called starts nothing after the answer",
  async () => {
    const id = await workflow.save([node("a", "system_date_time")]);
    for (let round = 0; round < rounds; round++) {
      const made = await workflow.owner.browser.post(`${workflow.path}/triggers`, {
        workflowId: id,
        kind: "webhook",
        name: "h",
        signature: "none",
      });
      const deliver = async () => (await fetch(made.body.webhookUrl, { method: "POST", body: "{}" })).status;
      const path = `${workflow.path}/triggers/${made.body.id}`;
      const end = async () => {
        const { status } =
          round % 2
            ? await workflow.owner.browser.delete(path)
            : await workflow.owner.browser.patch(path, { active: false });
        return { status, late: await deliver() };
      };
      const [ended, ...delivered] = await Promise.all([end(), ...Array.from({ length: 5 }, deliver)]);
      expect(ended).toEqual(round % 2 ? { status: 204, late: 404 } : { status: 200, late: 409 });
      for (const status of delivered) expect([202, 404, 409]).toContain(status);
    }
  },
  roundsLimitMs,
);

it(
  "an organization that is deleted in the middle of everything takes everything with it",
  async () => {
    for (let round = 0; round < roundsOf(4, 50); round++) {
      const { body } = await workflow.owner.browser.post("/api/organizations", { name: "Short" });
      const path = `/api/organizations/${body.id}`;
      const { browser } = workflow.owner;
      const key = (await browser.post(`${path}/api-keys`, { name: "k", scopes: ["mcp:invoke", "workflows:trigger"] }))
        .body.key as string;
      const made = await browser.post(`${path}/workflows`, {
        name: "w",
        canvas: { nodes: [node("a", "system_date_time")], edges: [] },
      });
      const remove = async () => {
        const { status } = await browser.delete(path);
        return { status, late: (await workflow.trigger(made.body.id, undefined, { "x-api-key": key })).status };
      };
      const others = Array.from({ length: 9 }, async (_, index) => {
        if (index % 3 === 0) return (await workflow.trigger(made.body.id, undefined, { "x-api-key": key })).status;
        if (index % 3 === 1)
          return (await browser.post(`${path}/tools/system_date_time/call`, { parameters: {} })).status;
        return (await browser.post(`${path}/workflows`, { name: "x", canvas: { nodes: [], edges: [] } })).status;
      });
      const [removed, ...statuses] = await Promise.all([remove(), ...others]);
      expect(removed).toEqual({ status: 204, late: 401 });
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    }
  },
  roundsLimitMs,
);

it("none of this was a failure of ours", () => {
  expect(workflow.app.logLines.filter((line) => line.includes("unexpected failure"))).toEqual([]);
});
