import { describe, expect, it } from "vitest";
import { safeNextPath } from "./safe-next-path.ts";

const origin = "https://switchyard.example";

describe("the path after signing in", () => {
  it("keeps a path of this origin with its query and fragment", () => {
    expect(safeNextPath("/o/1/members?tab=open#end", origin)).toBe("/o/1/members?tab=open#end");
  });

  it("goes home when nothing is asked for", () => {
    expect(safeNextPath(undefined, origin)).toBe("/");
    expect(safeNextPath("", origin)).toBe("/");
  });

  it.each([
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "/\t/evil.example/",
    "/\n\\evil.example",
    "\\\\evil.example",
    " //evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "members",
    "//",
    "//[",
  ])("goes home instead of following %j", (next) => {
    expect(safeNextPath(next, origin)).toBe("/");
  });

  it("does not hand on a path that would leave the origin when read again", () => {
    const path = safeNextPath("/.//evil.example", origin);
    expect(new URL(path, origin).origin).toBe(origin);
  });
});
