import { describe, expect, it } from "vitest";
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
  it.each(["https://api.example.com/v1", "https://api.example.com/v1/", "https://api.example.com/v1//"])("may be %s", async (baseUrl) => {
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
  });
});

describe("the words of a provider", () => {
  it("are cut between two of them, so that no part of a secret is left that is taken out by its whole value", () => {
    const { message } = providerFailure("Example", { message: `${"word ".repeat(199)}secret-text and more` });
    expect(message).toBe(`Example refused the call: ${"word ".repeat(199).trimEnd()}…`);
  });
});
