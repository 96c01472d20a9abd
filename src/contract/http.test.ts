import { describe, expect, it } from "vitest";
import { joinSentences } from "./fault.ts";
import { createHttp, path, providerFailure } from "./http.ts";

describe("the parts of an address", () => {
  it("are encoded, each as one segment", () => {
    expect(path`/a/${"b/c?d#e%f ü"}/${7}`).toBe("/a/b%2Fc%3Fd%23e%25f%20%C3%BC/7");
  });

  it.each(["", ".", "..", "half of a pair: \ud83d"])("are refused when they are %j", (part) => {
    expect(() => path`/a/${part}`).toThrow(expect.objectContaining({ code: "validation_failed" }));
  });
});

describe("the base URL", () => {
  it.each(["https://api.example.com/v1", "https://api.example.com/v1/", "https://api.example.com/v1//"])(
    "may be %s",
    async (baseUrl) => {
      const asked: string[] = [];
      const http = createHttp({
        fetch: async (url) => {
          asked.push(String(url));
          return new Response("{}");
        },
        provider: "Example",
        baseUrl,
        headers: {},
        authorize: () => ({ pathPrefix: "/bot1" }),
        readFault: () => ({}),
        isRepeatable: true,
        signal: new AbortController().signal,
      });
      await http.json({ path: "/send" });
      expect(asked).toEqual(["https://api.example.com/v1/bot1/send"]);
    },
  );
});

describe("a provider that says when to come back", () => {
  const answers = (statuses: number[], waits: number[], leftMs?: () => number) => {
    const left = [...statuses];
    return createHttp({
      fetch: async () => new Response("{}", { status: left.shift() ?? 200, headers: { "retry-after": "7" } }),
      provider: "Example",
      baseUrl: "https://api.example.test",
      headers: {},
      authorize: () => ({}),
      readFault: () => ({}),
      isRepeatable: false,
      leftMs,
      sleep: async (milliseconds) => void waits.push(milliseconds),
      signal: new AbortController().signal,
    });
  };
  const write = { method: "POST", path: "/send" } as const;

  it("is waited for no longer than the caller's time lasts", async () => {
    const waits: number[] = [];
    await expect(answers([429], waits, () => 6_999).json(write)).rejects.toMatchObject({
      provider: { retryAfterMs: 7_000 },
      effect: "none",
    });
    expect(await answers([429], waits, () => 7_001).json(write)).toEqual({});
    expect(waits).toEqual([7_000]);
  });

  it("is asked three times at most", async () => {
    const waits: number[] = [];
    await expect(answers([503, 429, 529, 200], waits).json(write)).rejects.toMatchObject({
      provider: { status: 529 },
      effect: "none",
    });
    expect(waits).toEqual([7_000, 7_000]);
  });

  it("may have acted all the same with another status", async () => {
    const waits: number[] = [];
    await expect(answers([500, 200], waits).json(write)).rejects.toMatchObject({
      provider: { status: 500 },
      effect: undefined,
    });
    expect(waits).toEqual([]);
  });
});

describe("the words of a provider", () => {
  it.each([
    [{ status: 401, code: "401", message: "Bad credentials" }, "Example refused the call (401): Bad credentials."],
    [
      { status: 429, message: "Slow down", retryAfterMs: 7000 },
      "Example refused the call (429): Slow down. Try again in 7 s.",
    ],
    [{ status: 400, message: "Why?" }, "Example refused the call (400): Why?"],
    [{ status: 400, message: "It is wrong.  " }, "Example refused the call (400): It is wrong."],
    [
      { status: 400, message: "See https://example.test/a/" },
      "Example refused the call (400): See https://example.test/a/",
    ],
    [{ status: 503, retryAfterMs: 1000 }, "Example refused the call (503). Try again in 1 s."],
  ])("%j are %j", (fault, says) => {
    expect(providerFailure("Example", fault).message).toBe(says);
  });

  it("are cut between two of them, so that no part of a secret is left that is taken out by its whole value", () => {
    const { message } = providerFailure("Example", { message: `${"word ".repeat(199)}secret-text and more` });
    expect(message).toBe(`Example refused the call: ${"word ".repeat(199).trimEnd()}…`);
  });
});

it("ends each of several messages before the next begins", () => {
  expect(joinSentences(["The JQL is wrong", "project: is required.", undefined, " ", "[ERROR] no text"])).toBe(
    "The JQL is wrong. project: is required. [ERROR] no text.",
  );
});
