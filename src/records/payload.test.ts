import { describe, expect, it } from "vitest";
import { shortestTime } from "../../test/support/shortest-time.ts";
import { toStorableText } from "../base/json.ts";
import { toPayload } from "./payload.ts";

const limitBytes = 64 * 1024;
const long = "x".repeat(60_000_000);

describe("a text that is longer than the whole payload may be", () => {
  it.each([
    ["alone", long],
    ["in an object", { long }],
    ["in a list", [long]],
    ["in the parameters of a node", [{ other: 1, long }]],
    ["in a list of them", [{ texts: [long] }]],
  ])("is not written out first: %s", (_, value) => {
    const { text, truncated } = toPayload(value, limitBytes);
    expect(truncated).toBe(true);
    const marker = JSON.parse(text) as { originalBytes: number; preview: string };
    expect(marker.originalBytes).toBe(Buffer.byteLength(JSON.stringify(value)));
    expect(marker.preview).toContain("xxx");
    const wholeMs = shortestTime(() => toStorableText(value));
    expect(shortestTime(() => toPayload(value, limitBytes))).toBeLessThan(wholeMs / 2);
  });

  it("leaves everything else as it is", () => {
    const value = [{ at: new Date(0), list: ["a", { b: [1, null] }] }];
    expect(toPayload(value, limitBytes)).toEqual({ text: JSON.stringify(value), truncated: false, sanitized: false });
  });
});
