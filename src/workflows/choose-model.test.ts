import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../test/support/providers/fake-provider.ts";
import { createAddressRules } from "../base/address-rules.ts";
import { defaultModels } from "../base/default-models.ts";
import { createSafeFetch } from "../base/safe-fetch.ts";
import type { Vault } from "../vault/vault.ts";
import { createChooseModel } from "./choose-model.ts";
import type { ModelConfig } from "./model-contract.ts";

const organizationId = "01a1dd74-dcd0-7482-9824-7dd92ead8c71";
const fetch = createSafeFetch({ addressRules: createAddressRules({ allowedCidrs: ["127.0.0.0/8"] }) });
const gemini = {
  json: { candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }] },
};
const openai = {
  json: {
    id: "1",
    created: 1,
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }],
  },
};
const anthropic = {
  json: {
    id: "1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
};

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(async () => {
  await provider.stop();
  await fetch.close();
});

/** The two steps of the vault that are used, and what they were asked. */
function fakeVault() {
  const steps: unknown[] = [];
  const vault = {
    check: async (...asked: unknown[]) => {
      steps.push(asked);
      return [{}];
    },
    open: async () => {
      steps.push("opened");
      return {
        data: () => ({ apiKey: "key-of-the-organization", baseUrl: `${provider.url}/`, organization: "org-1" }),
      };
    },
  } as unknown as Pick<Vault, "check" | "open">;
  return { vault, steps };
}

const configured = (): ModelConfig => ({
  provider: "anthropic",
  model: "claude-installed",
  apiKey: "key-of-the-installation",
  baseUrl: provider.url,
});
const models = { ...defaultModels, openai: "gpt-of-the-installation" };
const question = { system: "", prompt: "Hello" };

describe("the model of a node", () => {
  const own = "key-of-the-organization";

  it.each([
    {
      type: "openai",
      answer: openai,
      request: {
        path: "/chat/completions",
        headers: { authorization: `Bearer ${own}`, "openai-organization": "org-1" },
      },
      model: "gpt-of-the-installation",
    },
    {
      type: "anthropic",
      answer: anthropic,
      request: { path: "/v1/messages", headers: { "x-api-key": own } },
      model: "claude-installed",
    },
    {
      type: "gemini",
      answer: gemini,
      request: { path: "/v1beta/models/gemini-flash-latest:generateContent", headers: { "x-goog-api-key": own } },
      model: undefined,
    },
  ])(
    "is that of its $type credential, checked and opened only when it is asked",
    async ({ type, answer, request, model }) => {
      provider.script([answer]);
      const { vault, steps } = fakeVault();
      const chosen = createChooseModel({ config: configured(), models, fetch, vault })({
        organizationId,
        credentials: { [type]: "r" },
        ownTypes: ["slack"],
      });
      expect(steps).toEqual([]);
      expect(await chosen?.answer(question)).toBe("Hi");
      expect(steps).toEqual([[organizationId, { [type]: "r" }, [type]], "opened"]);
      expect(provider.requests()).toMatchObject([request]);
      const { body } = provider.requests()[0] ?? {};
      expect((JSON.parse(body?.toString() ?? "") as { model?: string }).model).toBe(model);
      expect(body?.toString()).not.toContain("key-of");
    },
  );

  it("is the installation's where the credential is for the node's own calls, or there is none", async () => {
    for (const asked of [
      { credentials: { gemini: "r" }, ownTypes: ["gemini"] },
      { credentials: {}, ownTypes: [] },
    ]) {
      provider.script([anthropic]);
      const { vault, steps } = fakeVault();
      expect(
        await createChooseModel({ config: configured(), models, fetch, vault })({ organizationId, ...asked })?.answer(
          question,
        ),
      ).toBe("Hi");
      expect(steps).toEqual([]);
      expect(provider.requests()).toMatchObject([
        { path: "/messages", headers: { "x-api-key": "key-of-the-installation" } },
      ]);
    }
  });

  it("is none where nothing is configured", () => {
    const choose = createChooseModel({ config: undefined, models, fetch, vault: fakeVault().vault });
    expect(choose({ organizationId, credentials: { slack: "r" }, ownTypes: ["slack"] })).toBeUndefined();
  });
});
