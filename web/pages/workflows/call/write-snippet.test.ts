import { describe, expect, it } from "vitest";
import { writeSnippet } from "./write-snippet.ts";

const call = (body: Record<string, unknown>, headers: Record<string, string> = {}) => ({
  url: "http://localhost/x",
  body,
  headers,
});

describe("the examples of a call", () => {
  it("write a body of any kind as Python has it", () => {
    const text = writeSnippet(
      "python",
      call({ yes: true, no: false, nothing: null, list: [1, "it's"], empty: {}, none: [] }),
    );
    expect(text).toContain(`body = {
    "yes": True,
    "no": False,
    "nothing": None,
    "list": [
        1,
        "it's",
    ],
    "empty": {},
    "none": [],
}
`);
  });

  it("close no quote of the shell with what is in the texts", () => {
    expect(
      writeSnippet("curl", call({ runtimePrompt: "it's" }, { "Idempotency-Key": "o'1" }))
        .split(" \\\n")
        .slice(3),
    ).toEqual([`  -H 'Idempotency-Key: o'\\''1'`, `  --data-raw '{"runtimePrompt":"it'\\''s"}'`]);
  });

  it("name no key, only where it is taken from", () => {
    for (const language of ["curl", "javascript", "python"] as const)
      expect(writeSnippet(language, call({}))).toMatch(/SWITCHYARD_API_KEY/);
  });
});
