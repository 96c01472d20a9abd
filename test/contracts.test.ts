import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toJsonSchema } from "../src/catalog/json-schema.ts";
import { loadProviders } from "../src/catalog/load-providers.ts";
import type { Tool } from "../src/contract/tool.ts";
import { arbitraryInput } from "./contracts/arbitrary-input.ts";
import type { Input, ProviderArguments, ToolArguments } from "./contracts/argument-set.ts";
import { argumentSets } from "./contracts/argument-sets.ts";
import { awkwardTexts, longText } from "./contracts/awkward-texts.ts";
import { exercise, type Outcome, type Tally } from "./contracts/exercise.ts";
import { type ScriptedAnswer, startVerifiers, type Verifiers } from "./contracts/start-verifiers.ts";
import { callTool } from "./support/call-tool.ts";

/** Published API descriptions and the verifier that comes with them are kept outside the repository. */
const folder = process.env.SWITCHYARD_CONTRACTS;
const samples = Number(process.env.SWITCHYARD_CONTRACT_SAMPLES ?? 20);
const seed = Number(process.env.SWITCHYARD_CONTRACT_SEED ?? 20_260_101);

type Subject = ToolArguments & { id: string; provider: string; credentials: ProviderArguments["credentials"] };

const subjects: Subject[] = Object.entries(argumentSets).flatMap(([provider, { credentials, tools }]) =>
  Object.entries(tools).map(([id, set]) => ({ id, provider, credentials, ...set })),
);
const paging = subjects.filter(({ page }) => page !== undefined);

describe.skipIf(folder === undefined)("the published API descriptions (SWITCHYARD_CONTRACTS)", () => {
  const tally: Tally = new Map();
  let tools: Map<string, Tool>;
  let verifiers: Verifiers;

  beforeAll(async () => {
    tools = new Map((await loadProviders()).flatMap((provider) => provider.tools).map((tool) => [tool.id, tool]));
    verifiers = await startVerifiers(folder ?? "");
  });
  afterAll(() => verifiers.stop());

  function toolOf(id: string): Tool {
    const tool = tools.get(id);
    if (!tool) throw new Error(`There is no tool ${id}.`);
    return tool;
  }

  /** Whatever happens, what was sent is as the provider describes it. */
  async function call({ id, provider, credentials: [first = {}] }: Subject, input: Input, more: More = {}): Promise<Outcome> {
    const outcome = await exercise(toolOf(id), await verifiers.of(provider), { input, credential: first, ...more }, tally);
    expect(outcome.violations, JSON.stringify(input).slice(0, 2000)).toEqual([]);
    return outcome;
  }
  type More = { credential?: Input; baseUrl?: string; answers?: ScriptedAnswer[] };

  it.each(subjects)("$id is called with minimal and full arguments, each credential and each base address", async (subject) => {
    const { baseUrls } = await verifiers.of(subject.provider);
    for (const input of [subject.minimal, subject.full]) {
      for (const credential of subject.credentials) {
        for (const baseUrl of baseUrls.flatMap((address) => [address, `${address}/`])) {
          const { refusal, requests } = await call(subject, input, { credential, baseUrl });
          expect(refusal).toBeUndefined();
          expect(requests).toBeGreaterThan(0);
        }
      }
    }
    for (const input of subject.others ?? []) await call(subject, input);
  });

  it.each(subjects)("$id sends awkward texts as they are or refuses them", async (subject) => {
    const properties = toJsonSchema(toolOf(subject.id).input, "input").properties as Record<string, Input>;
    for (const [name, { type, items, maxLength }] of Object.entries(properties)) {
      const isList = type === "array" && (items as Input).type === "string";
      if (type !== "string" && !isList) continue;
      const given = Object.hasOwn(subject.full, name) ? subject.full : subject.minimal;
      for (const text of [...awkwardTexts, longText(maxLength as number | undefined)]) {
        if (isRoot(subject.id, name, text)) continue;
        await call(subject, { ...given, [name]: isList ? [text, text] : text });
      }
    }
  });

  it.each(subjects)("$id sends nothing wrong for generated arguments", async (subject) => {
    const { hints, passedOn, arrange = (input: Input) => input } = subject;
    const inputs = arbitraryInput(toJsonSchema(toolOf(subject.id).input, "input"), hints, passedOn);
    await fc.assert(
      fc.asyncProperty(inputs, fc.nat(7), async (input, choice) => {
        // Most of the time the rules between parameters are kept.
        const arranged = choice === 7 ? input : arrange(input, choice);
        if (!isRoot(subject.id, "path", arranged.path)) await call(subject, arranged);
      }),
      { numRuns: samples, seed, interruptAfterTimeLimit: 15_000 },
    );
  });

  it.each(subjects)("$id repeats what is harmless when the provider has trouble, and says so otherwise", async (subject) => {
    const { requests: usual } = await call(subject, subject.minimal);
    for (const at of [1, 2].slice(0, usual)) {
      for (const status of [429, 500, 502, 503, 504]) {
        const answer = { status, headers: { "retry-after": "7" }, body: { message: "busy" } };
        const { refusal, waits, requests } = await call(subject, subject.minimal, { answers: atRequest(at, answer) });
        if (refusal === undefined) expect({ waits, requests }).toEqual({ waits: [7000], requests: usual + 1 });
        else expect(refusal).toMatchObject({ code: "provider_error", message: expect.stringContaining("Try again in 7 s") });
        const { readOnly, idempotent } = toolOf(subject.id).hints;
        if (readOnly || idempotent) expect(refusal).toBeUndefined();
      }
      const { refusal, waits } = await call(subject, subject.minimal, { answers: atRequest(at, { drop: true }) });
      expect(refusal?.code).toBe(waits.length === 1 ? undefined : "provider_unreachable");
    }
  });

  it.each(subjects)("$id takes any answer, also none, without falling over", async (subject) => {
    const { requests: usual } = await call(subject, subject.minimal);
    for (const at of [1, 2].slice(0, usual)) {
      for (const body of ["{ not json", "", "[]", "null", '"text"', "{}", "<html>busy</html>"])
        await call(subject, subject.minimal, { answers: atRequest(at, { status: 200, body }) });
      await call(subject, subject.minimal, { answers: atRequest(at, { status: 204, body: "" }) });
      const { refusal, waits } = await call(subject, subject.minimal, { answers: atRequest(at, { status: 401, body: { message: "no" } }) });
      expect({ code: refusal?.code, waits }).toEqual({ code: "provider_error", waits: [] });
    }
  });

  it.each(subjects)("$id waits until the date the provider names, or says it", async (subject) => {
    const date = new Date(Date.now() + 20_000).toUTCString();
    const answers = [{ status: 429, headers: { "retry-after": date }, body: { message: "busy" } }];
    const { refusal, waits } = await call(subject, subject.minimal, { answers });
    if (refusal) expect(refusal.message).toMatch(/Try again in (1[89]|20) s/);
    else expect(waits).toEqual([expect.closeTo(19_500, -4)]);
  });

  it.each(subjects)("$id stops at once when it is aborted", async (subject) => {
    const verifier = await verifiers.of(subject.provider);
    await verifier.script([{ delayMs: 150, status: 200, body: {} }]);
    const credential = { ...subject.credentials[0], baseUrl: verifier.baseUrls[0] };
    const signal = AbortSignal.timeout(40);
    await expect(callTool(toolOf(subject.id), { input: subject.minimal, credential, signal })).rejects.toThrow();
    await expect.poll(() => verifier.requests().length, { interval: 20 }).toBe(1);
    expect(verifier.requests()[0]?.violations).toEqual([]);
  });

  it.each(paging)("$id reads several pages up to its limit", async (subject) => {
    const { page = () => ({}), minimal, full } = subject;
    const limit = Number(full.limit);
    const third = Math.ceil(limit / 3);
    const cut = await call(subject, { ...minimal, limit }, { answers: pagesOf(page, [third, third, third, third]) });
    expect(cut.items).toHaveLength(limit);
    const ended = await call(subject, { ...minimal, limit }, { answers: pagesOf(page, [1, 1]) });
    expect(ended.items).toHaveLength(2);
  });

  it("has exercised every tool that is described", async () => {
    const lines = [...tally].sort().map(([id, { calls, requests, violations }]) => [id, calls, requests, violations].join(" | "));
    process.stdout.write(`\ntool | calls | requests | violations\n${lines.join("\n")}\n`);
    expect([...tally.keys()].sort()).toEqual(subjects.map(({ id }) => id).sort());
    expect(tally.size).toBe(49);
    expect([...tally.values()].every(({ requests, violations }) => requests > 0 && violations === 0)).toBe(true);
  });
});

/** GitHub lists the root of a repository under an address that its own description has no form for. */
const isRoot = (id: string, name: string, value: unknown): boolean =>
  id === "github_get_file" && name === "path" && /^\/*$/.test(String(value));

/** Trouble at the first or a later request of a call. */
const atRequest = (at: number, answer: ScriptedAnswer): ScriptedAnswer[] => [...(at === 1 ? [] : [{ times: at - 1 }]), answer];

function pagesOf(page: NonNullable<ToolArguments["page"]>, sizes: number[]): ScriptedAnswer[] {
  return sizes.map((items, index) => ({ status: 200, body: page(items, index === sizes.length - 1 ? undefined : `cursor ${index}/+=ä`) }));
}
