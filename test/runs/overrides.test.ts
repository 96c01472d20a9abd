import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFakeModel } from "../support/providers/fake-model.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let model: Awaited<ReturnType<typeof startFakeModel>>;

beforeAll(async () => {
  model = await startFakeModel((told) => ({ fields: { heard: /run: "([^"]*)"/.exec(told)?.[1] ?? "nothing" } }));
  ann = await startWorkflowApp({ environment: { ...model.environment, SEMAPHORE_MAX_CONCURRENT_EXECUTIONS: "50" } });
});
afterAll(async () => {
  await ann?.stop();
  await model?.stop();
});

describe("1,000 runs with overrides, while the canvas is edited", () => {
  it("leave the canvas byte for byte as it was saved, and see nothing of each other", { timeout: 60_000 }, async () => {
    const say = node("say", "set_fields", { fields: { said: "$trigger.prompt" }, keepOthers: true });
    const listen = node(
      "listen",
      "set_fields",
      {},
      { instruction: "Say what you heard.", settings: { disabled: true } },
    );
    const id = await ann.save([say, listen], edges("say>listen"));
    const read = async () => (await ann.owner.browser.get(`${ann.path}/workflows/${id}`)).text;
    const before = await read();
    const plain = new Map<string, string>();
    const startMany = async (count: number, offset: number) => {
      for (let index = 0; index < count; index++) {
        const secret = `${offset}-${index}-${randomUUID()}`;
        const runtimeInstruction = Math.random() < 0.5 ? `only ${secret}` : undefined;
        const nodes = [say, listen]
          .filter(() => Math.random() < 0.7)
          .map((one) => ({ id: one.id, runtimeInstruction, nodeId: one.nodeId }));
        const { status, body } = await ann.trigger(id, { runtimePrompt: secret, nodes });
        expect(status).toBe(202);
        plain.set(body.id, secret);
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, offset) => startMany(50, offset)));
    expect(await read()).toBe(before);

    const shas = new Set<string>();
    const edit = async () => {
      for (let expectedVersion = 1; expectedVersion <= 15; expectedVersion++) {
        const canvas = { nodes: [say, { ...listen, name: `Edit ${expectedVersion}` }], edges: edges("say>listen") };
        const { status, body } = await ann.owner.browser.patch(`${ann.path}/workflows/${id}`, {
          canvas,
          expectedVersion,
        });
        expect(status).toBe(200);
        shas.add(body.canvasSha256);
      }
    };
    await Promise.all([edit(), ...Array.from({ length: 10 }, (_, offset) => startMany(50, offset + 10))]);
    const after = JSON.parse(await read()) as { canvas: object; canvasSha256: string; updatedAt: string };
    expect(after.canvasSha256).toBe(createHash("sha256").update(JSON.stringify(after.canvas)).digest("hex"));
    expect([...shas].at(-1)).toBe(after.canvasSha256);

    expect(plain.size).toBe(1_000);
    type Row = { id: string; status: string; trigger_data: string; overrides: string | null; outputs: string | null };
    const unfinished =
      "SELECT id FROM run WHERE workflow_id = $1 AND status NOT IN ('succeeded', 'failed', 'cancelled')";
    await expect.poll(async () => (await ann.app.database.query(unfinished, [id])).length, { timeout: 30_000 }).toBe(0);
    const rows = await ann.app.database.query<Row>(
      `SELECT run.id, run.status, trigger_data, overrides, node.outputs FROM run
       JOIN run_node AS node ON node.run_id = run.id AND node.node_id = 'say' WHERE workflow_id = $1`,
      [id],
    );
    expect(rows).toHaveLength(1_000);
    for (const row of rows) {
      const secret = plain.get(row.id) ?? "";
      const others =
        JSON.stringify([row.trigger_data, row.overrides, row.outputs]).match(/\d+-\d+-[0-9a-f]{8}-[0-9a-f-]{27}/g) ??
        [];
      expect([row.status, [...new Set(others)]]).toEqual(["succeeded", [secret]]);
    }
  });
});
