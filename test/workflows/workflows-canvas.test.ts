import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectProblem } from "../support/expect-problem.ts";
import { signUpOwner } from "../support/people.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

type Remark = { pointer: string; detail: string };
type Node = Record<string, unknown>;

let app: TestApp;
let ann: Awaited<ReturnType<typeof signUpOwner>>;
let bob: Awaited<ReturnType<typeof signUpOwner>>;
let path: string;
const credentials = { slack: "", github: "", foreign: "" };

beforeAll(async () => {
  app = await startTestApp();
  [ann, bob] = await Promise.all([signUpOwner(app, "Ann"), signUpOwner(app, "Bob")]);
  path = `/api/organizations/${ann.organizationId}/workflows`;
  const create = async (owner: typeof ann, type: string) =>
    (
      await app.parts.vault.credentials.create(owner.organizationId, {
        type,
        name: type,
        data: { kind: "bearer", accessToken: "canary-token" },
        createdBy: null,
      })
    ).reference;
  credentials.slack = await create(ann, "slack");
  credentials.github = await create(ann, "github");
  credentials.foreign = await create(bob, "slack");
});
afterAll(() => app.stop());

const start: Node = { id: "start", nodeId: "start" };
const clock: Node = { id: "clock", nodeId: "system_date_time" };
const message = (parameters: Node, others: Node = {}): Node => ({
  id: "say",
  nodeId: "slack_send_message",
  credentials: { slack: credentials.slack },
  parameters,
  ...others,
});
const edge = (source: string, target: string, others: Node = {}) => ({
  id: `${source}-${target}`,
  source,
  target,
  ...others,
});
const chain = (...ids: string[]) => ids.slice(1).map((id, index) => edge(ids[index] as string, id));
const sheet = (id: string, others: Node = {}): Node => ({
  id,
  text: "Ask Ben first",
  x: -20,
  y: 0,
  width: 240,
  height: 120,
  ...others,
});
const nodesOf = (...ids: string[]): Node[] => ids.map((id) => ({ id, nodeId: "system_date_time" }));

async function faultsOf(canvas: unknown): Promise<[string, string][]> {
  const saved = await ann.browser.post(path, { name: "Draft", canvas });
  const problem = expectProblem(saved, { status: 400, code: "validation_failed" });
  const checked = await ann.browser.post(`${path}/check`, { canvas });
  expect([checked.status, checked.body.valid, checked.body.errors]).toEqual([200, false, problem.errors]);
  return (problem.errors as Remark[]).map(({ pointer, detail }) => [pointer, detail]);
}

async function expectValid(canvas: unknown): Promise<void> {
  const { status, body } = await ann.browser.post(path, { name: "Good", canvas });
  expect([status, body.errors]).toEqual([201, undefined]);
}

describe("a canvas without faults is saved", () => {
  it.each<[string, () => unknown]>([
    ["that is empty", () => ({ nodes: [], edges: [] })],
    [
      "with references to nodes before it, at any distance",
      () => ({
        nodes: [
          start,
          clock,
          ...nodesOf("mid"),
          message({ channel: "$nodes.clock.first.iso", text: "Now {{ $nodes.mid.first.iso }}" }),
        ],
        edges: chain("start", "clock", "mid", "say"),
      }),
    ],
    [
      "whose required parameters a model fills",
      () => ({ nodes: [message({ channel: "C1" }, { instruction: "Write a greeting." })], edges: [] }),
    ],
    [
      "with a reference where a number is expected",
      () => ({
        nodes: [{ id: "w", nodeId: "wait", parameters: { milliseconds: "$trigger.payload.pause" } }],
        edges: [],
      }),
    ],
    [
      "with ways out of a condition and a switch",
      () => ({
        nodes: [
          { id: "if", nodeId: "condition", parameters: { condition: "$input.price > 2" } },
          { id: "which", nodeId: "switch", parameters: { rules: [{ way: "big", condition: "$input.size > 10" }] } },
          ...nodesOf("a", "b", "c"),
        ],
        edges: [
          edge("if", "which", { sourceHandle: "true" }),
          edge("if", "a", { sourceHandle: "false" }),
          edge("which", "b", { sourceHandle: "big" }),
          edge("which", "c", { sourceHandle: "otherwise" }),
        ],
      }),
    ],
    [
      "with two ways that meet again",
      () => ({ nodes: nodesOf("a", "b", "c", "d"), edges: [...chain("a", "b", "d"), ...chain("a", "c", "d")] }),
    ],
    [
      "with notes on it and on its nodes, which may have the id of a node",
      () => ({
        nodes: [{ ...clock, note: "n".repeat(2000) }],
        edges: [],
        notes: [sheet("clock"), ...Array.from({ length: 99 }, (_, index) => sheet(`n${index}`, { text: "" }))],
      }),
    ],
  ])("%s", async (_, canvas) => {
    await expectValid(canvas());
  });
});

describe("a canvas is refused for", () => {
  const refused: [string, () => unknown, [string, string][]][] = [
    [
      "nothing of a canvas in it",
      () => ({}),
      [
        ["/canvas/nodes", "is required"],
        ["/canvas/edges", "is required"],
      ],
    ],
    [
      "a node of the wrong form",
      () => ({ nodes: [{ ...clock, settings: { retries: 21, speed: 1 } }, 5], edges: [] }),
      [
        ["/canvas/nodes/0/settings/retries", "must be at most 20"],
        ["/canvas/nodes/0/settings", "has unknown fields: speed"],
        ["/canvas/nodes/1", "must be an object"],
      ],
    ],
    [
      "more than 500 nodes",
      () => ({ nodes: Array(501).fill(clock), edges: [] }),
      [["/canvas/nodes", "must have at most 500 entries"]],
    ],
    [
      "nothing but a name beside 5000 values in a node",
      () => ({
        nodes: [
          clock,
          { id: "f", nodeId: "set_fields", parameters: { fields: { a: Array(4994).fill(0) } } },
          { ...clock, id: "g", name: 5 },
        ],
        edges: [],
      }),
      [["/canvas/nodes/2/name", "must be text"]],
    ],
    [
      "more than 5000 values in a node, by one",
      () => ({
        nodes: [clock, { id: "f", nodeId: "set_fields", parameters: { fields: { a: Array(4995).fill(0) } } }],
        edges: [],
      }),
      [["/canvas/nodes/1", "must have at most 5000 values in it"]],
    ],
    [
      "more than 5000 references, wherever they are",
      () => ({
        nodes: ["f", "g"].map((id) => ({
          id,
          nodeId: "set_fields",
          parameters: { fields: { a: "{{ 1 }}".repeat(id === "f" ? 5000 : 1) } },
        })),
        edges: [],
      }),
      [
        [
          "/canvas/nodes/1/parameters/fields/a",
          "is where there are more than 5000 references or 200000 characters of them",
        ],
      ],
    ],
    [
      "an unknown type of node",
      () => ({ nodes: [{ id: "x", nodeId: "nothing_of_this_kind" }], edges: [] }),
      [["/canvas/nodes/0/nodeId", "is neither the name of a tool nor of a built-in node"]],
    ],
    [
      "a mistyped type of node",
      () => ({ nodes: [{ id: "x", nodeId: "system_waitt" }], edges: [] }),
      [["/canvas/nodes/0/nodeId", expect.stringContaining("(did you mean system_wait") as unknown as string]],
    ],
    [
      "two nodes and two edges with one id",
      () => ({
        nodes: [...nodesOf("a", "b"), ...nodesOf("a")],
        edges: [
          { id: "e", source: "a", target: "b" },
          { id: "e", source: "b", target: "b2" },
        ],
      }),
      [
        ["/canvas/nodes/2/id", "is the id of another node too"],
        ["/canvas/edges/1/id", "is the id of another edge too"],
        ["/canvas/edges/1/target", "is not a node on the canvas"],
      ],
    ],
    [
      "notes of the wrong form, too long, too small, or with one id",
      () => ({
        nodes: [{ ...clock, note: "n".repeat(2001) }],
        edges: [],
        notes: [sheet("a", { text: "n".repeat(5001), colour: "red" }), sheet("a", { width: 79, height: 10_001 }), 5],
      }),
      [
        ["/canvas/nodes/0/note", "must be at most 2000 characters"],
        ["/canvas/notes/0", "has unknown fields: colour"],
        ["/canvas/notes/0/text", "must be at most 5000 characters"],
        ["/canvas/notes/1/height", "must be at most 10000"],
        ["/canvas/notes/1/id", "is the id of another note too"],
        ["/canvas/notes/1/width", "must be at least 80"],
        ["/canvas/notes/2", "must be an object"],
      ],
    ],
    [
      "more than 100 notes",
      () => ({ nodes: [], edges: [], notes: Array(101).fill(sheet("a")) }),
      [["/canvas/notes", "must have at most 100 entries"]],
    ],
    [
      "notes that are no list",
      () => ({ nodes: [], edges: [], notes: { a: sheet("a") } }),
      [["/canvas/notes", "must be a list"]],
    ],
    [
      "missing, wrong and unknown parameters, in the words of a run",
      () => ({ nodes: [message({ text: "", blocks: "none", colour: "red" })], edges: [] }),
      [
        ["/canvas/nodes/0/parameters/channel", "is required"],
        ["/canvas/nodes/0/parameters/text", "must not be empty"],
        ["/canvas/nodes/0/parameters/blocks", "must be a list"],
        ["/canvas/nodes/0/parameters", "has unknown fields: colour"],
      ],
    ],
    [
      "a wrong value that a model must not change",
      () => ({ nodes: [message({ channel: 5 }, { instruction: "Write a greeting." })], edges: [] }),
      [["/canvas/nodes/0/parameters/channel", "must be text"]],
    ],
    [
      "a number that cannot be kept",
      () => '{"nodes":[{"id":"f","nodeId":"set_fields","parameters":{"fields":{"n":[1e999]}}}],"edges":[]}',
      [["/canvas/nodes/0/parameters/fields/n/0", "is a number too large to be kept"]],
    ],
    [
      "a condition that is none",
      () => ({ nodes: [{ id: "if", nodeId: "condition", parameters: { condition: 5 } }], edges: [] }),
      [["/canvas/nodes/0/parameters/condition", "must give true or false, for example $input.price > 2"]],
    ],
    [
      "references to nodes that are not there, come later, or are the node itself",
      () => ({
        nodes: [
          message({ channel: "$nodes.ghost.first.id", text: "{{ $nodes.clock.first.iso }} {{ $nodes.say.first }}" }),
          clock,
        ],
        edges: [edge("say", "clock")],
      }),
      [
        ["/canvas/nodes/0/parameters/channel", 'names the node "ghost", which is not on the canvas'],
        ["/canvas/nodes/0/parameters/text", 'names the node "clock", which does not come before this one'],
        ["/canvas/nodes/0/parameters/text", 'names the node "say", which does not come before this one'],
      ],
    ],
    [
      "an expression of a built-in node that names a node which is not there",
      () => ({
        nodes: [{ id: "if", nodeId: "condition", parameters: { condition: "$nodes.ghost.first.n > 2" } }],
        edges: [],
      }),
      [["/canvas/nodes/0/parameters/condition", 'names the node "ghost", which is not on the canvas']],
    ],
    [
      "edges that lead nowhere, to themselves, or twice to the same",
      () => ({
        nodes: nodesOf("a", "b"),
        edges: [
          edge("a", "ghost"),
          edge("phantom", "b"),
          edge("a", "a"),
          edge("a", "b"),
          { id: "again", source: "a", sourceHandle: "out", target: "b" },
        ],
      }),
      [
        ["/canvas/edges/0/target", "is not a node on the canvas"],
        ["/canvas/edges/1/source", "is not a node on the canvas"],
        ["/canvas/edges/2", 'leads from the node "a" to itself'],
        ["/canvas/edges/4", 'is the same connection as the edge "a-b"'],
      ],
    ],
    [
      "ways out that the source does not have",
      () => ({
        nodes: [
          { id: "if", nodeId: "condition", parameters: { condition: "true" } },
          { id: "end", nodeId: "stop", parameters: { message: "over" } },
          ...nodesOf("a", "b", "c"),
        ],
        edges: [
          edge("if", "a"),
          edge("if", "b", { sourceHandle: "maybe" }),
          edge("a", "c", { sourceHandle: "true" }),
          edge("end", "c"),
        ],
      }),
      [
        ["/canvas/edges/0/sourceHandle", "must be one of true, false"],
        ["/canvas/edges/1/sourceHandle", "must be one of true, false"],
        ["/canvas/edges/2/sourceHandle", "must be one of out"],
        ["/canvas/edges/3/sourceHandle", "leaves a node that nothing comes out of"],
      ],
    ],
    [
      "circles, each with its nodes",
      () => ({
        nodes: nodesOf("a", "b", "c", "x", "y"),
        edges: [...chain("a", "b", "c"), edge("c", "b"), ...chain("x", "y", "x")],
      }),
      [
        ["/canvas/edges/2", "closes a circle: b → c → b"],
        ["/canvas/edges/4", "closes a circle: x → y → x"],
      ],
    ],
  ];
  it.each(refused)("%s", async (_, canvas, expected) => {
    const given = canvas();
    if (typeof given === "string") {
      const { body } = await ann.browser.post(`${path}/check`, `{"canvas":${given}}`);
      expect(body.errors.map(({ pointer, detail }: Remark) => [pointer, detail])).toEqual(expected);
    } else expect((await faultsOf(given)).sort()).toEqual(expected.sort());
  });

  it("a reference that cannot be read", async () => {
    const [[pointer, detail] = ["", ""], ...others] = await faultsOf({
      nodes: [message({ channel: "C1", text: "{{ $trigger.prompt & }}" })],
      edges: [],
    });
    expect([pointer, others]).toEqual(["/canvas/nodes/0/parameters/text", []]);
    expect(detail).toMatch(/^has a reference that cannot be read: ./);
  });

  it("a circle through 500 nodes, without delay", async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `n${index}`);
    const faults = await faultsOf({ nodes: nodesOf(...ids), edges: [...chain(...ids), edge("n499", "n0")] });
    expect(faults).toEqual([
      ["/canvas/edges/499", expect.stringMatching(/^closes a circle: n0 → n1 → .* → n499 → n0$/)],
    ]);
  });

  it("faults of every kind at once", async () => {
    const faults = await faultsOf({
      nodes: [
        { id: "x", nodeId: "nothing" },
        message({ text: "{{ $nodes.ghost.first }}" }, { credentials: { slack: credentials.github } }),
        { ...clock, settings: { retries: -1 } },
      ],
      edges: [edge("x", "say"), edge("say", "x"), edge("clock", "ghost")],
    });
    expect(faults.map(([pointer]) => pointer).sort()).toEqual([
      "/canvas/edges/1",
      "/canvas/edges/2/target",
      "/canvas/nodes/0/nodeId",
      "/canvas/nodes/1/credentials/slack",
      "/canvas/nodes/1/parameters/channel",
      "/canvas/nodes/1/parameters/text",
      "/canvas/nodes/2/settings/retries",
    ]);
  });
});

describe("credentials on a canvas", () => {
  const using = (own: Node) => ({ nodes: [message({ channel: "C1", text: "hi" }, { credentials: own })], edges: [] });

  it.each<[string, () => Node, [string, string]]>([
    [
      "of another type",
      () => ({ slack: credentials.github }),
      ["slack", "must be a credential of the type slack, not one of the type github"],
    ],
    [
      "for a type the node does not take",
      () => ({ slack: credentials.slack, github: credentials.github }),
      ["github", "is not a type of credential this node takes"],
    ],
    [
      "that are no references",
      () => ({ slack: "xoxb-canary-secret" }),
      ["slack", "must be a reference of the form credential:organization:<uuid>"],
    ],
    [
      "of another organization",
      () => ({ slack: credentials.foreign }),
      ["slack", "is no credential of this organization"],
    ],
    [
      "that do not exist",
      () => ({ slack: `credential:organization:${randomUUID()}` }),
      ["slack", "is no credential of this organization"],
    ],
  ])("%s are refused", async (_, own, [type, detail]) => {
    expect(await faultsOf(using(own()))).toEqual([[`/canvas/nodes/0/credentials/${type}`, detail]]);
  });

  it("that are no references are not repeated, whatever else is wrong", async () => {
    const { text } = await ann.browser.post(path, {
      name: "x",
      canvas: using({ slack: "xoxb-canary-secret", other: "canary-2" }),
    });
    expect(text).not.toContain("canary");
  });

  it("of a model are taken by every node, and checked", async () => {
    const { reference } = await app.parts.vault.credentials.create(ann.organizationId, {
      type: "openai",
      name: "Model",
      data: { apiKey: "canary-key" },
      createdBy: null,
    });
    await expectValid(using({ slack: credentials.slack, openai: reference }));
    await expectValid({ nodes: [{ ...clock, credentials: { openai: reference } }], edges: [] });
    expect(await faultsOf(using({ slack: credentials.slack, openai: credentials.slack }))).toEqual([
      ["/canvas/nodes/0/credentials/openai", "must be a credential of the type openai, not one of the type slack"],
    ]);
  });

  it("on a node that takes none are refused", async () => {
    const canvas = { nodes: [{ ...clock, credentials: { slack: credentials.slack } }], edges: [] };
    expect(await faultsOf(canvas)).toEqual([
      ["/canvas/nodes/0/credentials/slack", "is not a type of credential this node takes"],
    ]);
  });

  it("may be missing, which is said until the organization has a default", async () => {
    const canvas = using({});
    const warning = {
      pointer: "/canvas/nodes/0/credentials/slack",
      detail: "is not chosen, and the organization has no default; every run must bring its own",
    };
    expect((await ann.browser.post(path, { name: "Draft", canvas })).body.warnings).toEqual([warning]);
    expect((await ann.browser.post(`${path}/check`, { canvas })).body).toEqual({
      valid: true,
      errors: [],
      warnings: [warning],
    });
    const credentialId = credentials.slack.split(":").at(-1);
    await ann.browser.send("PUT", `/api/organizations/${ann.organizationId}/default-credentials/slack`, {
      credentialId,
    });
    expect((await ann.browser.post(`${path}/check`, { canvas })).body.warnings).toEqual([]);
  });
});
