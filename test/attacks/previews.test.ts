import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signUpOwner } from "../support/people.ts";
import { node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let bob: Awaited<ReturnType<typeof signUpOwner>>;

const canvas = { nodes: [node("last", "set_fields", { fields: {} })], edges: [] };

beforeAll(async () => {
  ann = await startWorkflowApp({});
  bob = await signUpOwner(ann.app, "Bob");
});
afterAll(() => ann?.stop());

describe("the preview of a value", () => {
  it("leaves others their share while an organization asks for endless expressions", async () => {
    const ends: string[] = [];
    const ask = async (owner: typeof bob, id: string, value: string) => {
      const url = `/api/organizations/${owner.organizationId}/workflows/${id}/preview-value`;
      expect((await owner.browser.post(url, { canvas, nodeId: "last", value })).status).toBe(200);
      ends.push(owner === bob ? "bob" : "ann");
    };
    const workflowId = await ann.save(canvas.nodes, canvas.edges);
    const theirs = (
      await bob.browser.post(`/api/organizations/${bob.organizationId}/workflows`, { name: "Mine", canvas })
    ).body.id;
    const endless = Array.from({ length: 5 }, () =>
      ask(ann.owner, workflowId, "{{ ($f := function() { $f() }; $f()) }}"),
    );
    await delay(300);
    await ask(bob, theirs, "{{ 1 + 1 }}");
    await Promise.all(endless);
    expect(ends.indexOf("bob")).toBeLessThan(3);
    // Each of the endless ones steps back behind everything else, so that a busy machine takes long to use up its second.
  }, 150_000);
});
