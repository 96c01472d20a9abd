import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toJsonSchema } from "../../../src/catalog/json-schema.ts";
import type { Action } from "../../../src/contract/action.ts";
import type { CredentialData } from "../../../src/contract/credential.ts";
import { type Answer, type FakeProvider, type SeenRequest, startFakeProvider } from "../providers/fake-provider.ts";
import { callTool } from "./call-tool.ts";

/** A request the tool must send and what the provider answers to it. `path` is decoded: /search?q=a b. */
type Exchange = {
  request: {
    method: string;
    path: string;
    headers?: Record<string, unknown>;
    json?: unknown;
    form?: Record<string, string>;
    body?: unknown;
  };
  answer: Answer;
};

type Case = { name: string; input: Record<string, unknown>; exchanges: Exchange[]; items: unknown[] };

type Expectations = {
  credential: CredentialData;
  /** The first is the simplest call with only required parameters; others add all parameters, further pages and so on. */
  cases: [Case, ...Case[]];
  /** A failure in the provider's own form, and what the caller must be told. */
  failure: { answer: Answer; says: RegExp };
  /** Whether the tool sends a request again; by default what its hints promise. */
  repeats?: boolean;
  /** Whatever comes back is the answer, also nothing. */
  answersWithAnything?: boolean;
  /** The time of the calls. */
  now?: Date;
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

/** The behaviour every HTTP tool must have, checked on the wire. */
export function describeHttpTool(
  tool: Action,
  {
    credential,
    cases,
    failure,
    repeats = tool.hints.readOnly || tool.hints.idempotent,
    answersWithAnything = false,
    now,
  }: Expectations,
): void {
  describe(tool.id, () => {
    let provider: FakeProvider;
    const matchesOutput = ajv.compile(toJsonSchema(tool.output, "output"));
    const simplest = cases[0];
    const answers = simplest.exchanges.map(({ answer }) => answer);
    const call = (input: Record<string, unknown>, options: { signal?: AbortSignal; waits?: number[] } = {}) =>
      callTool(tool, {
        input,
        credential: { ...credential, baseUrl: provider.url },
        ...(now ? { now } : {}),
        ...options,
      });

    beforeAll(async () => {
      provider = await startFakeProvider();
    });
    afterAll(() => provider.stop());

    it.each(cases)("$name", async ({ input, exchanges, items }) => {
      provider.script(exchanges.map(({ answer }) => answer));
      expect(await call(input)).toEqual(items);
      expect(provider.requests().map(describeRequest)).toEqual(exchanges.map(({ request }) => expectRequest(request)));
      for (const item of items) expect(matchesOutput(item), JSON.stringify(matchesOutput.errors)).toBe(true);
    });

    it("takes no notice of fields it does not know", async () => {
      provider.script(answers.map(withUnknownFields));
      expect(await call(simplest.input)).toEqual(simplest.items);
    });

    it("fails cleanly, or returns what there is, when the answer lacks everything", async () => {
      provider.script(answers.map((answer) => ({ ...answer, ...(answer.json === undefined ? {} : { json: {} }) })));
      const items = await call(simplest.input).catch((error: unknown) => {
        expect(error).toMatchObject({ name: "Refusal" });
        return [];
      });
      for (const item of items) expect(matchesOutput(item), JSON.stringify(matchesOutput.errors)).toBe(true);
    });

    it.runIf(!tool.hints.readOnly && !answersWithAnything)(
      "is no success when nothing in the answer shows that it was done",
      async () => {
        const last = answers.length - 1;
        provider.script(
          answers.map((answer, index) =>
            index === last && answer.json !== undefined ? { ...answer, json: {} } : answer,
          ),
        );
        const outcome = call(simplest.input);
        if (answers[last]?.json === undefined) await outcome;
        else await expect(outcome).rejects.toMatchObject({ name: "Refusal", code: "provider_error" });
      },
    );

    it("reports the provider's own code and words when it refuses", async () => {
      provider.script([failure.answer, failure.answer, failure.answer]);
      await expect(call(simplest.input)).rejects.toMatchObject({
        code: "provider_error",
        message: expect.stringMatching(failure.says),
      });
    });

    it.each([429, 503, 529])(
      "waits and repeats after a %i that says when to come back, because nothing was done",
      async (status) => {
        const waits: number[] = [];
        provider.script([{ status, headers: { "retry-after": "7" }, json: {} }, ...answers]);
        expect(await call(simplest.input, { waits })).toEqual(simplest.items);
        expect(waits).toEqual([7000]);
      },
    );

    it("does not wait for long, and says when to come back", async () => {
      const waits: number[] = [];
      provider.script([{ status: 429, headers: { "retry-after": "3600" }, json: {} }]);
      await expect(call(simplest.input, { waits })).rejects.toMatchObject({
        code: "provider_error",
        message: expect.stringContaining("Try again in 3600 s"),
        provider: { status: 429, retryAfterMs: 3_600_000 },
      });
      expect([waits, provider.requests().length]).toEqual([[], 1]);
    });

    it.runIf(!repeats)("does not repeat what says nothing of when to come back", async () => {
      provider.script([{ status: 503, json: {} }]);
      await expect(call(simplest.input)).rejects.toMatchObject({ code: "provider_error", provider: { status: 503 } });
      expect(provider.requests()).toHaveLength(1);
    });

    it(
      repeats ? "repeats a request whose connection dropped" : "does not repeat a request whose connection dropped",
      async () => {
        provider.script([{ drop: true }, ...answers]);
        const outcome = call(simplest.input);
        if (repeats) expect(await outcome).toEqual(simplest.items);
        else {
          await expect(outcome).rejects.toMatchObject({ code: "provider_unreachable" });
          expect(provider.requests()).toHaveLength(1);
        }
      },
    );

    it("breaks off its request when it is aborted", async () => {
      provider.script([{ hang: true }]);
      const abort = new AbortController();
      const outcome = call(simplest.input, { signal: abort.signal });
      await expect.poll(() => provider.requests().length).toBe(1);
      abort.abort(new Error("enough"));
      await expect(outcome).rejects.toThrow("enough");
      await expect.poll(() => provider.brokenOff()).toBe(1);
    });
  });
}

function expectRequest({ method, path, headers = {}, ...body }: Exchange["request"]) {
  return {
    method,
    path,
    headers: expect.objectContaining(headers),
    ...(body.json === undefined ? {} : { json: body.json }),
    ...(body.form === undefined ? {} : { form: body.form }),
    ...(body.body === undefined ? {} : { body: body.body }),
  };
}

function describeRequest({ method, path, headers, body }: SeenRequest) {
  const type = headers["content-type"] ?? "";
  const shown = { method, path: decodeURIComponent(path.replaceAll("+", " ")), headers };
  if (body.length === 0) return shown;
  if (type.startsWith("application/json")) return { ...shown, json: JSON.parse(body.toString()) as unknown };
  if (type.startsWith("application/x-www-form-urlencoded"))
    return { ...shown, form: Object.fromEntries(new URLSearchParams(body.toString())) };
  return { ...shown, body: body.toString() };
}

function withUnknownFields(answer: Answer): Answer {
  return answer.json === undefined ? answer : { ...answer, json: addUnknown(answer.json) };
}

function addUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(addUnknown);
  if (typeof value !== "object" || value === null) return value;
  const known = Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, addUnknown(entry)]));
  return { ...known, unknown_of_tomorrow: { nested: [null, 1, "x"] } };
}
