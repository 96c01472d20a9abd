const fields = (length: number, value: unknown) =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`k${index.toString(36)}`, value]));
const setting = (given: unknown) => ({
  nodes: [{ id: "a", nodeId: "set_fields", parameters: { fields: given } }],
  edges: [],
});
const edges = (length: number, source: (index: number) => string, target: (index: number) => string) =>
  Array.from({ length }, (_, index) => ({
    id: `e${index}`,
    source: source(index),
    sourceHandle: "none",
    target: target(index),
  }));

const most = 48_000;

/** Canvases of which every step of checking has as much to do as a request can bring. */
export const heavyCanvases: Record<string, unknown> = {
  "a node of as many parameters": {
    nodes: [{ id: "a", nodeId: "system_date_time", parameters: fields(most, 0) }],
    edges: [],
  },
  "a node of an unknown type with as many": {
    nodes: [{ id: "a", nodeId: "nothing", parameters: fields(most, 0) }],
    edges: [],
  },
  "as many references": setting(fields(most, "$nodes.zz.first")),
  "as many expressions": setting(fields(most, "{{ 1 + 1 }}")),
  "long expressions": setting(fields(450, `{{ ${"1 + ".repeat(4500)}1 }}`)),
  "a text of a million expressions": setting({ a: "{{1+1}} ".repeat(1_000_000) }),
  "remarks without an end": setting({ a: `{{ 1${" /* ".repeat(2_000_000)}` }),
  "quotes without an end": setting({ a: `{{ ${'\\"'.repeat(1_500_000)}` }),
  "braces without an end": setting({ a: "{{".repeat(4_000_000) }),
  "an expression field of ten million characters": {
    nodes: [{ id: "a", nodeId: "condition", parameters: { condition: "(".repeat(9_000_000) } }],
    edges: [],
  },
  "a path of a million steps": setting({ a: `$trigger${".a".repeat(1_000_000)}` }),
  "as many wrong entries": {
    nodes: [{ id: "a", nodeId: "github_create_issue", parameters: { labels: Array(most).fill(0) } }],
    edges: [],
  },
  "as many wrong accounts": { nodes: [{ id: "a", nodeId: "set_fields", credentials: fields(most, 0) }], edges: [] },
  "as many ways out, and edges that take none": {
    nodes: [
      {
        id: "a",
        nodeId: "switch",
        parameters: { rules: Array.from({ length: 15_000 }, (_, index) => ({ way: `w${index}` })) },
      },
      { id: "c", nodeId: "switch", parameters: { rules: [{ way: "w".repeat(1_000_000) }] } },
      { id: "b", nodeId: "merge" },
    ],
    edges: edges(
      2000,
      (index) => (index % 2 === 0 ? "a" : "c"),
      () => "b",
    ),
  },
  "as much in five hundred nodes": {
    nodes: Array.from({ length: 500 }, (_, index) => ({
      id: `n${index}`,
      nodeId: "set_fields",
      parameters: { fields: fields(60, "$nodes.n1.first") },
    })),
    edges: edges(
      2000,
      (index) => `n${index % 500}`,
      (index) => `n${(index * 7 + Math.trunc(index / 500) + 1) % 500}`,
    ),
  },
  "many circles": {
    nodes: Array.from({ length: 500 }, (_, index) => ({ id: `n${index}`, nodeId: "merge" })),
    edges: edges(
      2000,
      (index) => `n${index % 500}`,
      (index) => `n${(index % 500) ^ 1}`,
    ),
  },
};
