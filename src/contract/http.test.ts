import { describe, expect, it } from "vitest";
import { createHttp, path } from "./http.ts";

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
