import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CountingProvider, startCountingProvider } from "../support/providers/counting-provider.ts";
import { startFakeModel } from "../support/providers/fake-model.ts";
import { issue, useGithub } from "../support/runs/github-nodes.ts";
import { edges, node, startWorkflowApp, type WorkflowApp } from "../support/runs/workflow-app.ts";

let ann: WorkflowApp;
let github: CountingProvider;
let model: Awaited<ReturnType<typeof startFakeModel>>;

beforeAll(async () => {
  github = await startCountingProvider();
  model = await startFakeModel((told) => ({ title: `About ${/"name":\s*"(\w+)"/.exec(told)?.[1]}` }));
  ann = await startWorkflowApp({ environment: { ...model.environment } });
  await useGithub(ann, github.url);
});
afterAll(async () => {
  await ann?.stop();
  await github?.stop();
  await model?.stop();
});
beforeEach(() => github.forget());

const titles = () => github.requests.map(({ title }) => title);
const people = node("people", "loop", { list: "[{'name': 'Ann'}, {'name': 'Ben'}, {'name': 'Cleo'}]" });
const fields = (id: string, values: Record<string, string>) =>
  node(id, "set_fields", { fields: values, keepOthers: false });
const last = fields("last", { name: "$nodes.people.item.name" });

describe("the item that another one came from", () => {
  it("is found behind tools, conditions, switches, merges, waits and transforms", async () => {
    const id = await ann.save(
      [
        people,
        issue("open", "For {{ $input.name }}", { settings: { itemsAtOnce: 2 } }),
        node("odd", "condition", { condition: "$input.number % 2 = 1" }),
        node("kind", "switch", { rules: [{ way: "ann", condition: "$contains($input.title, 'Ann')" }] }),
        node("twice", "transform", { expression: "[$input, $input]" }),
        node("all", "merge", {}),
        node("rest", "wait", { milliseconds: 50 }),
        fields("last", { name: "{{ $uppercase($nodes.people.item.name) }}", number: "$nodes.open.item.number" }),
      ],
      edges(
        "people>open",
        "open>odd",
        "odd.true>kind",
        "odd.false>twice",
        "kind.ann>all",
        "kind.otherwise>all",
        "twice>all",
        "all>rest",
        "rest>last",
      ),
    );
    const run = await ann.run(id);
    expect(run.error).toBeNull();
    const opened = Object.fromEntries(
      (run.nodes[1]?.outputs ?? []).map(({ title, number }) => [String(title).slice(4).toUpperCase(), number]),
    );
    expect(new Set(run.result?.map(({ name }) => name))).toEqual(new Set(["ANN", "BEN", "CLEO"]));
    for (const { name, number } of run.result ?? []) expect(number).toBe(opened[String(name)]);
  });

  it("makes a tool that asks for it work per item", async () => {
    const id = await ann.save(
      [people, fields("empty", { a: "b" }), issue("open", "$nodes.people.item.name")],
      edges("people>empty", "empty>open"),
    );
    expect((await ann.run(id)).status).toBe("succeeded");
    expect(titles()).toEqual(["Ann", "Ben", "Cleo"]);
  });

  it("is refused in clear words for what came another way", async () => {
    const other = issue("open", "fail", { settings: { continueOnError: true } });
    const run = await ann.run(await ann.save([people, other, last], edges("people>last", "open>last")));
    expect(run).toMatchObject({ status: "failed", error: { code: "reference_unresolved", nodeId: "last" } });
    expect(run.error?.message).toContain(
      "$nodes.people.item.name, which cannot be resolved: it came from no item of people",
    );
  });

  it("is found also where nodes are taken over from another run", async () => {
    const some = node("some", "condition", { condition: "$input.name != 'Ann'" });
    const id = await ann.save(
      [people, some, issue("open", "$nodes.people.item.name")],
      edges("people>some", "some.true>open"),
    );
    github.plan("Ben", ["fail"]);
    const failed = await ann.run(id);
    const { body } = await ann.owner.browser.post(`${ann.path}/runs/${failed.id}/rerun`, { from: "failure" });
    expect((await ann.ended(body.id)).status).toBe("succeeded");
    expect(titles()).toEqual(["Ben", "Ben", "Cleo"]);
  });

  it.each([
    [
      "of a list that was made of all items",
      node("sum", "transform", { expression: "{ 'count': $count($input) }", over: "list" }),
      "sum takes all items at once",
    ],
  ])("is refused in clear words %s", async (_what, between, words) => {
    const run = await ann.run(await ann.save([people, between, last], edges("people>sum", "sum>last")));
    expect(run).toMatchObject({ status: "failed", error: { code: "reference_unresolved", nodeId: "last" } });
    expect(run.error?.message).toContain("$nodes.people.item.name");
    expect(run.error?.message).toContain(words);
  });

  it("is found behind a join with others, and refused of several that were made one", async () => {
    const ages = node("ages", "loop", { list: "[{ 'name': 'Cleo', 'age': 3 }, { 'name': 'Ann', 'age': 1 }]" });
    const joined = node("joined", "merge", { mode: "key", key: "name", join: "inner" });
    const tell = issue("open", "{{ $nodes.people.item.name }} {{ $nodes.ages.item.age }}");
    await ann.run(await ann.save([people, ages, joined, tell], edges("people>joined", "ages>joined", "joined>open")));
    expect(titles()).toEqual(["Ann 1", "Cleo 3"]);
    const some = node("some", "condition", { condition: "$input.name != 'Ann'" });
    const both = node("both", "merge", { mode: "position" });
    const run = await ann.run(
      await ann.save(
        [people, some, both, last],
        edges("people>some", "some.true>both", "some.false>both", "both>last"),
      ),
    );
    expect(run).toMatchObject({ status: "failed", error: { code: "reference_unresolved", nodeId: "last" } });
    expect(run.error?.message).toContain("it came from several items of people");
  });

  it("is refused in a node that takes several items at once", async () => {
    const run = await ann.run(
      await ann.save(
        [people, node("sum", "transform", { expression: "$nodes.people.item", over: "list" })],
        edges("people>sum"),
      ),
    );
    expect(run.error).toMatchObject({
      code: "reference_unresolved",
      message: expect.stringContaining("takes 3 items at once"),
    });
  });

  it("names a node that has to come before", async () => {
    await expect(ann.save([people, fields("last", { name: "$nodes.other.item.name" })])).rejects.toThrow(
      "not on the canvas",
    );
  });

  it("is shown in a preview", async () => {
    const nodes = [people, fields("empty", { a: "b" }), last];
    const lines = edges("people>empty", "empty>last");
    const id = await ann.save(nodes, lines);
    await ann.run(id);
    const body = { canvas: { nodes, edges: lines }, nodeId: "last", value: "$nodes.people.item.name" };
    const answer = await ann.owner.browser.post(`${ann.path}/workflows/${id}/preview-value`, body);
    expect(answer.body.result).toEqual({ value: "Ann" });
  });
});

it("a tool that a model fills works per item, with the item before its eyes", async () => {
  const open = node(
    "open",
    "github_create_issue",
    { owner: "acme", repo: "site" },
    { instruction: "A title about the person." },
  );
  const run = await ann.run(await ann.save([people, open], edges("people>open")));
  expect(run.error).toBeNull();
  expect(titles()).toEqual(["About Ann", "About Ben", "About Cleo"]);
});
