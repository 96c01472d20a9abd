import { afterAll, beforeAll, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/providers/fake-provider.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let server: FakeProvider;

beforeAll(async () => {
  server = await startFakeProvider();
  ann = await startWorkflowApp({ environment: { OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8" } });
});
afterAll(async () => {
  await ann?.stop();
  await server?.stop();
});

it.each([
  [{}, 8192],
  [{ maxTokens: 7 }, 7],
])(
  "a Claude node with %j has room for %i tokens: nobody is there to ask again for what was cut off",
  async (given, max_tokens) => {
    server.script([{ json: { content: [{ type: "text", text: "Hello" }], stop_reason: "end_turn" } }]);
    const { reference } = await ann.app.parts.vault.credentials.create(ann.owner.organizationId, {
      type: "anthropic",
      name: "Claude",
      createdBy: null,
      data: { apiKey: "sk-ant-secret", baseUrl: server.url },
    });
    const ask = node(
      "ask",
      "anthropic_create_message",
      { model: "m", prompt: "Hi", ...given },
      { credentials: { anthropic: reference } },
    );
    expect(await ann.run(await ann.save([ask]))).toMatchObject({ status: "succeeded", result: [{ text: "Hello" }] });
    expect(JSON.parse(String(server.requests()[0]?.body))).toMatchObject({ max_tokens });
  },
);
