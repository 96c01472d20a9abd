import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { edges, node, type RunAnswer, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;

beforeAll(async () => {
  ann = await startWorkflowApp();
});
afterAll(() => ann?.stop());

const off = { settings: { disabled: true } };
const list = node("list", "loop", { list: "[1, 2, 3]" });
const mark = (id: string) => node(id, "set_fields", { fields: { by: id } });
const of = (run: RunAnswer, id: string) => run.nodes.find((one) => one.id === id);

describe("a disabled node", () => {
  it("passes its items on, also as the last one of the run and as the first", async () => {
    const last = await ann.save([list, node("off", "set_fields", { fields: { never: 1 } }, off)], edges("list>off"));
    const run = await ann.run(last);
    expect(run.result).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }]);
    expect(of(run, "off")).toMatchObject({
      status: "skipped",
      note: "This node is disabled: items passed through it untouched.",
    });
    const alone = await ann.save([node("off", "loop", { list: "[1, 2]" }, off)]);
    const { body } = await ann.owner.browser.post(`${ann.path}/workflows/${alone}/runs`, { payload: { order: 7 } });
    expect((await ann.ended(body.id)).result).toEqual([{ order: 7 }]);
  });

  it("passes on what several disabled ones before it let pass, and what was skipped gives nothing", async () => {
    const id = await ann.save(
      [
        list,
        node("none", "loop", { list: "[]" }),
        mark("never"),
        node("one", "start", {}, off),
        node("two", "start", {}, off),
      ],
      edges("list>one", "none>never", "never>two", "one>two"),
    );
    expect((await ann.run(id)).result).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }]);
  });

  it("gives a called workflow's caller what came to it", async () => {
    const below = await ann.save([list, node("off", "stop", { message: "Never." }, off)], edges("list>off"));
    const above = await ann.save([node("call", "call_workflow", { workflowId: below })]);
    expect((await ann.run(above)).result).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }]);
  });
});

describe("a disabled node with several ways", () => {
  const never = { condition: "$input.value > 99" };

  it("sends all items through the first way of a condition, and says so", async () => {
    const id = await ann.save(
      [list, node("sort", "condition", never, off), mark("yes"), mark("no")],
      edges("list>sort", "sort.true>yes", "sort.false>no"),
    );
    const run = await ann.run(id);
    expect(run.result).toEqual([1, 2, 3].map((value) => ({ value, by: "yes" })));
    expect([of(run, "yes")?.status, of(run, "no")?.status]).toEqual(["succeeded", "skipped"]);
    expect(of(run, "sort")).toMatchObject({
      status: "skipped",
      note: "This node is disabled: all items took its first way, true.",
    });
    expect(of(run, "no")).toMatchObject({ note: null });
  });

  it("sends all items through the way of the first rule of a switch", async () => {
    const rules = [
      { way: "large", ...never },
      { way: "small", condition: "true" },
    ];
    const id = await ann.save(
      [list, node("sort", "switch", { rules }, off), mark("large"), mark("small"), mark("rest")],
      edges("list>sort", "sort.large>large", "sort.small>small", "sort.otherwise>rest"),
    );
    const run = await ann.run(id);
    expect(run.result).toEqual([1, 2, 3].map((value) => ({ value, by: "large" })));
    expect(of(run, "sort")).toMatchObject({ note: "This node is disabled: all items took its first way, large." });
  });
});
