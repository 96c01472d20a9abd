const node = (name: string, type: string, parameters: Record<string, unknown> = {}, typeVersion = 1) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  parameters,
});
const links = (names: string[]) => names.map((name) => ({ node: name }));
const namesOf = (letter: string, length: number) => Array.from({ length }, (_, index) => `${letter}${index}`);

/** Each loop hands all that its body ends with on to all that comes after it, which is where the next one ends. */
function loopsBehindLoops() {
  const [loops, between] = [namesOf("loop", 20), namesOf("n", 45)];
  const body = { main: [links(loops)] };
  return {
    nodes: [...loops.map((name) => node(name, "splitInBatches")), ...between.map((name) => node(name, "noOp"))],
    connections: Object.fromEntries([
      ...loops.map((name) => [name, { main: [links(between), links([...between, ...loops].slice(0, 48))] }]),
      ...between.map((name) => [name, body]),
    ]),
  };
}

/** Every rule of the switch leads the same way, to every other node. */
function switchToEverywhere() {
  const targets = namesOf("n", 400);
  const rules = { rules: Array.from({ length: 4900 }, () => 0) };
  return {
    nodes: [node("s", "switch", { value1: 1, rules }), ...targets.map((name) => node(name, "noOp"))],
    connections: { s: { main: [links(targets)] } },
  };
}

const sum = `{{ ${"1+".repeat(400)}1 }}`;
const rules = { rules: Array.from({ length: 4900 }, () => 0) };
const texts = (text: string) => ({ assignments: { assignments: [{ name: "a", value: `=${text}` }] } });

/** Files of n8n that took seconds or all of the memory once, and are refused now. */
export const refusedN8nFiles = {
  "loops behind loops": loopsBehindLoops(),
  "a switch that leads everywhere by each rule": switchToEverywhere(),
  "one long expression for each rule": { nodes: [node("s", "switch", { value1: `=${sum}`, rules })] },
  "one long text for each rule": { nodes: [node("s", "switch", { value1: "a".repeat(1_000_000), rules })] },
  "more expressions than are read": {
    nodes: namesOf("n", 40).map((name) => node(name, "set", texts(sum.repeat(50)), 3.4)),
  },
};

/** The same, and they are read. */
export const readN8nFiles = {
  "statements of braces": {
    nodes: namesOf("n", 400).map((name) =>
      node(name, "postgres", { operation: "executeQuery", query: `=${"{".repeat(19_900)}` }),
    ),
  },
  "an address of question marks": {
    nodes: [node("a", "httpRequest", { url: `https://a.example.com/${"?".repeat(9_000_000)}` }, 4.2)],
  },
};
