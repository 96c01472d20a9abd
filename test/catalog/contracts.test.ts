import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toJsonSchema } from "../../src/catalog/json-schema.ts";
import { loadProviders } from "../../src/catalog/load-providers.ts";
import type { Action } from "../../src/contract/action.ts";
import { onDisk } from "../support/catalog/catalogue-on-disk.ts";
import { callTool } from "../support/gateway/call-tool.ts";
import { arbitraryInput } from "./contracts/arbitrary-input.ts";
import type { Input, ProviderArguments, ToolArguments } from "./contracts/argument-set.ts";
import { argumentSets } from "./contracts/argument-sets.ts";
import { awkwardTexts, longText } from "./contracts/awkward-texts.ts";
import { exercise, type Outcome } from "./contracts/exercise.ts";
import { type ScriptedAnswer, startVerifiers, type Verifiers } from "./contracts/start-verifiers.ts";

/** Published API descriptions and the verifier that comes with them are kept outside the repository. */
const folder = process.env.SWITCHYARD_CONTRACTS;
const samples = Number(process.env.SWITCHYARD_CONTRACT_SAMPLES ?? 20);
const seed = Number(process.env.SWITCHYARD_CONTRACT_SEED ?? 20_260_101);
const generatingLimitMs = 20_000 + 250 * samples;

type Subject = ToolArguments & { id: string; provider: string; credentials: ProviderArguments["credentials"] };

const subjects: Subject[] = Object.entries(argumentSets).flatMap(([provider, { credentials, tools }]) =>
  Object.entries(tools).map(([id, set]) => ({ id, provider, credentials, ...set })),
);
const troubled = subjects.flatMap((subject) => [
  { ...subject, set: "minimal", input: subject.minimal },
  { ...subject, set: "full", input: subject.full },
]);
const paging = subjects.filter(({ page }) => page !== undefined);

describe.skipIf(folder === undefined)("the published API descriptions (SWITCHYARD_CONTRACTS)", () => {
  const tally = new Map<string, { calls: number; requests: number; violations: number }>();
  let tools: Map<string, Action>;
  let verifiers: Verifiers;

  beforeAll(async () => {
    tools = new Map((await loadProviders()).flatMap((provider) => provider.actions).map((tool) => [tool.id, tool]));
    verifiers = await startVerifiers(folder ?? "");
  });
  afterAll(() => verifiers.stop());

  function toolOf(id: string): Action {
    const tool = tools.get(id);
    if (!tool) throw new Error(`There is no tool ${id}.`);
    return tool;
  }

  /** Whatever happens, what was sent is as the provider describes it. */
  async function call(subject: Subject, input: Input, more: More = {}): Promise<Outcome> {
    const { id, provider, credentials, isUndescribed } = subject;
    const context = { input, credential: credentials[0] ?? {}, ...more };
    const outcome = await exercise(toolOf(id), await verifiers.of(provider), context);
    if (isUndescribed?.(input)) return outcome;
    const before = tally.get(id) ?? { calls: 0, requests: 0, violations: 0 };
    tally.set(id, {
      calls: before.calls + 1,
      requests: before.requests + outcome.requests,
      violations: before.violations + outcome.violations.length,
    });
    expect(outcome.violations, JSON.stringify(input).slice(0, 2000)).toEqual([]);
    return outcome;
  }
  type More = { credential?: Input; baseUrl?: string; answers?: ScriptedAnswer[] };

  it.each(subjects)(
    "$id is called with minimal and full arguments, each credential and each base address",
    async (subject) => {
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
    },
  );

  it.each(subjects)("$id sends awkward texts as they are or refuses them", async (subject) => {
    const { full, minimal } = subject;
    for (const { name, isList, maxLength } of listTexts(toolOf(subject.id))) {
      const others = Object.hasOwn(full, name) ? full : minimal;
      for (const text of [...awkwardTexts, longText(maxLength)])
        await call(subject, { ...others, [name]: isList ? [text, text] : text });
    }
  });

  it.each(subjects)(
    "$id sends nothing wrong for generated arguments",
    async (subject) => {
      const { hints, passedOn, arrange = (input: Input) => input } = subject;
      const inputs = arbitraryInput(toJsonSchema(toolOf(subject.id).input, "input"), hints, passedOn);
      await fc.assert(
        fc.asyncProperty(inputs, fc.nat(7), async (input, choice) => {
          // Most of the time the rules between parameters are kept.
          const arranged = choice === 7 ? input : arrange(input, choice);
          await call(subject, arranged);
        }),
        { numRuns: samples, seed },
      );
    },
    generatingLimitMs,
  );

  it.each(troubled)(
    "$id with $set arguments repeats only what is harmless when the provider has trouble",
    async (subject) => {
      const { requests: usual } = await call(subject, subject.input);
      const { readOnly, idempotent } = toolOf(subject.id).hints;
      const { harmless = 0, input } = subject;
      const first = typeof harmless === "number" ? harmless : harmless(input);
      const isHarmless = (before: number) => readOnly || idempotent || before < first;
      const busy = [429, 500, 502, 503, 504, 529].flatMap((status) => {
        const answer = { status, headers: { "retry-after": "7" }, body: { message: "busy" } };
        // Who is turned away until a time has done nothing yet.
        const isTurnedAway = [429, 503, 529].includes(status);
        return [...atEachRequest(usual, answer).entries()].map(([before, answers]) => ({
          before,
          answers,
          isTurnedAway,
        }));
      });
      for (const { before, answers, isTurnedAway } of busy) {
        const { refusal, waits, requests } = await call(subject, subject.input, { answers });
        if (isTurnedAway || isHarmless(before))
          expect({ refusal, waits, requests }).toEqual({ waits: [7000], requests: usual + 1 });
        else
          expect({ refusal, waits, requests }).toMatchObject({
            refusal: { message: expect.stringContaining("Try again in 7 s") },
            waits: [],
            requests: before + 1,
          });
      }
      for (const [before, answers] of atEachRequest(usual, { drop: true }).entries()) {
        const { refusal } = await call(subject, subject.input, { answers });
        expect(refusal?.code).toBe(isHarmless(before) ? undefined : "provider_unreachable");
      }
    },
  );

  it.each(troubled)("$id with $set arguments takes any answer, also none, without falling over", async (subject) => {
    const { requests: usual } = await call(subject, subject.input);
    const strange = ["{ not json", "", "[]", "null", '"text"', "{}", "<html>busy</html>"].map((body) => ({
      status: 200,
      body,
    }));
    for (const answers of [...strange, { status: 204, body: "" }].flatMap((answer) => atEachRequest(usual, answer)))
      await call(subject, subject.input, { answers });
    for (const answers of atEachRequest(usual, { status: 401, body: { message: "no" } })) {
      const { refusal, waits } = await call(subject, subject.input, { answers });
      expect({ code: refusal?.code, waits }).toEqual({ code: "provider_error", waits: [] });
    }
  });

  /** Outlook answers with nothing when all is well; what a model says is in its answer and nowhere else. */
  const makesNothing = /^(?:microsoft_outlook_send_email|(?:anthropic|elevenlabs|gemini|openai)_\w+)$/;
  const making = troubled.filter(({ id }) => !makesNothing.test(id));

  it.each(making)("$id with $set arguments takes no empty answer for what it was to make", async (subject) => {
    const { requests: usual } = await call(subject, subject.input);
    const { harmless = 0, input } = subject;
    const { readOnly, idempotent } = toolOf(subject.id).hints;
    if (readOnly || idempotent) return;
    // What may be sent again because it has a key makes something all the same.
    const first = Math.min(typeof harmless === "number" ? harmless : harmless(input), usual - 1);
    const { refusal } = await call(subject, input, {
      answers: atEachRequest(usual, { status: 200, body: {} })[first] ?? [],
    });
    expect(refusal).toMatchObject({
      code: "provider_error",
      effect: "unknown",
      message: expect.not.stringContaining("refused"),
    });
  });

  it.each(subjects)("$id waits until the date the provider names, or says it", async (subject) => {
    const date = new Date(Date.now() + 20_000).toUTCString();
    const answers = [{ status: 429, headers: { "retry-after": date }, body: { message: "busy" } }];
    const { refusal, waits } = await call(subject, subject.minimal, { answers });
    if (refusal) expect(refusal.message).toMatch(/Try again in (1\d|20) s/);
    else expect(waits).toEqual([expect.closeTo(19_500, -4)]);
  });

  it.each(subjects)("$id stops at once when it is aborted", async (subject) => {
    const verifier = await verifiers.of(subject.provider);
    await verifier.script([{ delayMs: 100, status: 200, body: {} }]);
    const credential = { ...subject.credentials[0], baseUrl: verifier.baseUrls[0] };
    const abort = new AbortController();
    const outcome = callTool(toolOf(subject.id), { input: subject.minimal, credential, signal: abort.signal });
    const expectation = expect(outcome).rejects.toThrow("enough");
    await expect.poll(() => verifier.isKeptWaiting(), { interval: 5 }).toBe(true);
    abort.abort(new Error("enough"));
    await expectation;
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

  it.each(["text/csv", ...awkwardTexts])(
    "google_drive_download_file exports a Google document as %j",
    async (exportMimeType) => {
      const subject = subjects.find(({ id }) => id === "google_drive_download_file");
      const answers = [{ status: 200, body: { id: "1AbC", mimeType: "application/vnd.google-apps.document" } }];
      const { refusal, requests } = await call(subject as Subject, { fileId: "1AbC", exportMimeType }, { answers });
      expect({ code: refusal?.code, requests }).toEqual(
        exportMimeType === "" ? { code: "validation_failed", requests: 0 } : { requests: 2 },
      );
    },
  );

  it("has exercised every tool that is described", async () => {
    const lines = [...tally]
      .sort()
      .map(([id, { calls, requests, violations }]) => [id, calls, requests, violations].join(" | "));
    process.stdout.write(`\ntool | calls | requests | violations\n${lines.join("\n")}\n`);
    const described = onDisk.providerIds.filter((id) => existsSync(join(folder ?? "", `${id}.json`)));
    expect([...tally.keys()].sort()).toEqual(described.flatMap((id) => onDisk.toolsByProvider[id] ?? []).sort());
    expect([...tally.values()].every(({ requests, violations }) => requests > 0 && violations === 0)).toBe(true);
  });
});

type TextParameter = { name: string; isList: boolean; maxLength: number | undefined };

function listTexts(tool: Action): TextParameter[] {
  const properties = toJsonSchema(tool.input, "input").properties as Record<string, Input>;
  return Object.entries(properties).flatMap(([name, { type, items, maxLength }]) => {
    const isList = type === "array" && (items as Input).type === "string";
    return type === "string" || isList ? [{ name, isList, maxLength: maxLength as number | undefined }] : [];
  });
}

/** The same trouble at the first request of a call, and at the second if there is one. */
const atEachRequest = (requests: number, answer: ScriptedAnswer): ScriptedAnswer[][] =>
  [[answer], [{ times: 1 }, answer]].slice(0, requests);

function pagesOf(page: NonNullable<ToolArguments["page"]>, sizes: number[]): ScriptedAnswer[] {
  return sizes.map((items, index) => ({
    status: 200,
    body: page(items, index === sizes.length - 1 ? undefined : `cursor ${index}/+=ä`),
  }));
}
