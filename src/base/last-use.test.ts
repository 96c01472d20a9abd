import { describe, expect, it } from "vitest";
import { createLastUse } from "./last-use.ts";
import { createLog } from "./log.ts";

describe("the last use of something", () => {
  it("is written once however often it is used within a minute", async () => {
    const written: string[][] = [];
    const lastUse = createLastUse({ log: createLog("silent"), what: "a key", write: async (ids) => written.push(ids) });
    for (const id of ["a", "a", "b", "a"]) lastUse.note(id);
    await lastUse.flush();
    lastUse.note("a");
    await lastUse.flush();
    expect(written.flat().sort()).toEqual(["a", "b"]);
  });

  it("does not hinder the use when it cannot be written", async () => {
    const lastUse = createLastUse({
      log: createLog("silent"),
      what: "a key",
      write: () => Promise.reject(new Error("no database")),
    });
    lastUse.note("a");
    await expect(lastUse.flush()).resolves.toBeUndefined();
  });
});
