import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism, getPriority } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { createPasswordHashing } from "./password-hashing.ts";

const hashing = createPasswordHashing({ mostAtOnce: 2 });
afterAll(() => hashing.close());

describe("a hash of a password", () => {
  it("stays good: those that the library before made are stored in many installations", async () => {
    const password = "correct horse ﬁ battery";
    const salt = "68e31732f19cb2b2299d1f0356c17db4";
    const key =
      "cbf5357c779b8c2146791f41ec13025268b74fc9dad12eefd006704775637345c138c59e4fc707add65568db178c048ee01efde8d61414e71597b6bda3ab5657";
    expect(await hashing.verify({ hash: `${salt}:${key}`, password })).toBe(true);
    expect(await hashing.verify({ hash: `${salt}:${key}`, password: `${password} ` })).toBe(false);
    expect(await hashing.verify({ hash: await hashing.hash(password), password: "another" })).toBe(false);
  });

  it("is never the same twice", async () => {
    expect(await hashing.hash("same")).not.toBe(await hashing.hash("same"));
  });

  it("is refused, with the time to wait, when too many wait already", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => hashing.hash(`password ${index}`)),
    );
    const refused = results.filter((result) => result.status === "rejected");
    expect(results.length - refused.length).toBe(18);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ code: "rate_limited", headers: { "Retry-After": "1" } });
    await expect(hashing.hash("afterwards")).resolves.toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
  });

  it.runIf(process.platform === "linux")("is made in at most two threads, which let all others go first", async () => {
    await Promise.all(Array.from({ length: 6 }, () => hashing.hash("again")));
    const priorities = readdirSync("/proc/self/task").map(readPriority);
    const lower = Math.min(getPriority() + 10, 19);
    expect(priorities.filter((priority) => priority === lower)).toHaveLength(2);
  });

  it("leaves one core to everybody else", async () => {
    const here = createPasswordHashing();
    const results = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => here.hash(`password ${index}`)));
    const threads = Math.max(1, Math.min(2, availableParallelism() - 1));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(16 + threads);
    await here.close();
  });
});

function readPriority(thread: string): number {
  const stat = readFileSync(`/proc/self/task/${thread}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
}
