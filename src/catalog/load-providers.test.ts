import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadProviders, providersFolder } from "./load-providers.ts";

const contract = join(import.meta.dirname, "../contract");
let folder: string;
let demo: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "switchyard-providers-"));
  demo = join(folder, "demo");
  writeProvider("demo");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeProvider(id: string): void {
  mkdirSync(join(folder, id));
  cpSync(join(providersFolder, "github/icon.svg"), join(folder, id, "icon.svg"));
  write(
    id,
    "index.ts",
    `import { defineProvider } from "${contract}/provider.ts"; import { demoCredential } from "./credential.ts";
    export const provider = defineProvider({ id: "${id}", title: "Demo", description: "For tests.", credential: demoCredential });`,
  );
  write(
    id,
    "credential.ts",
    `import { defineCredential, secret, withFields } from "${contract}/credential.ts";
    export const demoCredential = defineCredential({ type: "${id}", title: "Demo", baseUrl: "https://demo.example", check: null,
      variants: { apiKey: withFields("API key", { apiKey: secret() }) } });`,
  );
  write(id, "say.ts", actionSource({ id: `${id}_say` }));
}

const actionSource = ({
  id = "demo_say",
  input = "z.strictObject({ text: z.string() })",
  credential = "demoCredential",
}) => `
  import { z } from "${join(contract, "../../node_modules/zod/index.js")}"; import { defineAction } from "${contract}/action.ts"; import { demoCredential } from "./credential.ts";
  export const action = defineAction({ id: "${id}", title: "Say", description: "Says it.", credential: ${credential},
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    input: ${input}, output: z.object({ text: z.string() }), run: async ({ input }) => [input] });`;

const pollSource = (fields: string) => `import { z } from "${join(contract, "../../node_modules/zod/index.js")}";
  import { definePoll } from "${contract}/poll.ts"; import { defineProvider } from "${contract}/provider.ts"; import { demoCredential } from "./credential.ts";
  const poll = definePoll({ id: "new_thing", title: "New thing", description: "For tests.", everySeconds: { least: 60, usual: 600 },
    parameters: z.strictObject({ place: z.string().describe("Where.") }), list: async () => ({ items: [], mark: "", hasMore: false }), ${fields} });
  export const provider = defineProvider({ id: "demo", title: "Demo", description: "For tests.", credential: demoCredential, polls: [poll] });`;

const write = (provider: string, file: string, source: string) => writeFileSync(join(folder, provider, file), source);

it("finds a new folder without being told", async () => {
  writeProvider("second");
  const providers = await loadProviders(folder);
  expect(providers.map(({ id, actions }) => [id, actions.map((action) => action.id)])).toEqual([
    ["demo", ["demo_say"]],
    ["second", ["second_say"]],
  ]);
});

it("takes what a trigger can look for", async () => {
  write("demo", "index.ts", pollSource(""));
  expect((await loadProviders(folder)).flatMap(({ polls }) => polls.map(({ id }) => id))).toEqual(["new_thing"]);
});

it.each([
  ["an id of many forms", 'id: "newThing"', /demo\/index\.ts: the poll newThing: its id is not/],
  ["no title", 'title: ""', /it needs a title and a description/],
  ["pauses that are none", "everySeconds: { least: 60, usual: 30 }", /its pauses must be whole seconds/],
  ["parameters that take anything", "parameters: z.object({})", /the parameters must be a strict object/],
  [
    "a parameter without a description",
    "parameters: z.strictObject({ place: z.string() })",
    /the parameter place needs a description/,
  ],
  [
    "parameters without JSON Schema form",
    "parameters: z.strictObject({ place: z.date() })",
    /the parameters have no JSON Schema form/,
  ],
])("refuses to start on something to look for with %s", async (_, fields, message) => {
  write("demo", "index.ts", pollSource(fields));
  await expect(loadProviders(folder)).rejects.toThrow(message);
});

it("refuses to start on something to look for that is there twice", async () => {
  write("demo", "index.ts", pollSource("").replace("polls: [poll]", "polls: [poll, poll]"));
  await expect(loadProviders(folder)).rejects.toThrow(/the poll new_thing: its id exists more than once/);
});

it.each([
  [
    "an id that is not the folder's name",
    () => write("demo", "index.ts", readFileSync(join(demo, "index.ts"), "utf8").replace('id: "demo"', 'id: "other"')),
    /demo\/index\.ts: the provider's id is other/,
  ],
  [
    "an action without the provider's prefix",
    () => write("demo", "say.ts", actionSource({ id: "say" })),
    /demo\/say\.ts: the action's id say does not begin with demo_/,
  ],
  [
    "an action named unlike its file",
    () => write("demo", "say.ts", actionSource({ id: "demo_shout" })),
    /demo\/say\.ts: the action's id is demo_shout, not demo_say/,
  ],
  [
    "a file that exports no action",
    () => write("demo", "empty.ts", "export const x = 1;"),
    /demo\/empty\.ts: exports no action/,
  ],
  ["a missing icon", () => rmSync(join(demo, "icon.svg")), /demo: has no icon\.svg/],
  ["a missing index", () => rmSync(join(demo, "index.ts")), /demo: has no index\.ts/],
  ["no actions at all", () => rmSync(join(demo, "say.ts")), /demo: has no actions/],
  [
    "an unknown credential type",
    () => write("demo", "say.ts", actionSource({ credential: '{ ...demoCredential, type: "stranger" }' })),
    /unknown credential type stranger/,
  ],
  [
    "a schema without JSON Schema form",
    () => write("demo", "say.ts", actionSource({ input: "z.strictObject({ when: z.date() })" })),
    /no JSON Schema form/,
  ],
  [
    "an input that lets anything through",
    () => write("demo", "say.ts", actionSource({ input: "z.object({ text: z.string() }).loose()" })),
    /must be a strict object/,
  ],
  [
    "an input called credentials",
    () => write("demo", "say.ts", actionSource({ input: "z.strictObject({ credentials: z.string() })" })),
    /`credentials` is not a name/,
  ],
])("refuses to start on %s", async (_what, plant, says) => {
  plant();
  await expect(loadProviders(folder)).rejects.toThrow(says);
});

it("refuses two providers with one credential type, and names all faults at once", async () => {
  writeProvider("second");
  write("second", "credential.ts", readFileSync(join(demo, "credential.ts"), "utf8"));
  rmSync(join(demo, "icon.svg"));
  await expect(loadProviders(folder)).rejects.toThrow(
    /demo: has no icon\.svg\n {2}the credential type demo exists more than once/,
  );
});

it("names the folder, the file and the reason of each file that cannot be loaded", async () => {
  writeProvider("second");
  writeProvider("third");
  writeProvider("fourth");
  write("demo", "say.ts", "export const action = (;");
  write("second", "credential.ts", 'const key: string | undefined = undefined;\nthrow new Error("no key");');
  write("third", "index.ts", 'import { gone } from "./gone.ts"; export const provider = gone;');
  const failure = await loadProviders(folder).then(
    () => "",
    (error: Error) => error.message,
  );
  expect(failure).toMatch(/^The catalogue has faults:\n/);
  expect(failure).toMatch(/^ {2}demo\/say\.ts(:\d+)?: cannot be loaded: ./m);
  expect(failure).toMatch(/^ {2}second\/credential\.ts:2: cannot be loaded: no key$/m);
  expect(failure).toMatch(/^ {2}third\/\S+: cannot be loaded: Cannot find module .*gone\.ts/m);
  expect(failure).not.toMatch(/fourth/);
});
