import { describe, expect, it } from "vitest";
import { sampleArguments, suggestToolName } from "./describe-tool.ts";

describe("a workflow as a tool", () => {
  it.each([
    ["Find a customer, as a tool", "find_a_customer_as_a_tool"],
    ["  Grüße & more!", "gru_e_more"],
    ["世界", "my_tool"],
    ["x".repeat(100), "x".repeat(64)],
  ])("has a name that the server takes: %s", (name, expected) => {
    expect(suggestToolName(name)).toBe(expected);
    expect(suggestToolName(name)).toMatch(/^[a-z0-9_]{1,64}$/);
  });

  it("is called with a value of the right type for each input", () => {
    const input = (name: string, type: "string" | "integer" | "array") => ({
      name,
      type,
      description: "",
      required: true,
    });
    expect(sampleArguments([input("email", "string"), input("limit", "integer"), input("tags", "array")])).toEqual({
      email: "text",
      limit: 1,
      tags: [],
    });
  });
});
