import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { shortestTime } from "../../test/support/shortest-time.ts";
import { createFindSecrets, deriveFingerprintKey, writeFingerprints } from "./fingerprint.ts";

const key = randomBytes(32);
const finderOf = (...secrets: string[]) => createFindSecrets([{ key, written: writeFingerprints(key, secrets) }]);

describe("what secrets are recognised by", () => {
  it("finds each of them wherever it stands, and nothing else", () => {
    const secrets = [
      "1234567890123456",
      "Viele Grüße aus 北京 ✓",
      "a".repeat(5000),
      "-----BEGIN KEY-----\nabc\n-----END KEY-----",
    ];
    const find = finderOf(...secrets);
    for (const secret of secrets)
      for (const text of [secret, `${secret}!`, `x${secret}`, `${"y".repeat(999)}${secret}z`])
        expect(find()(text)).toContain(secret);
    for (const text of [
      "",
      "123456789012345",
      "123456789012345 6",
      "234567890123456",
      "a".repeat(4999),
      "Viele Grüße aus 北京",
    ])
      expect(find()(text)).toEqual([]);
  });

  it("finds those that were written with different keys", () => {
    const other = randomBytes(32);
    const find = createFindSecrets([
      { key, written: writeFingerprints(key, ["of the first key"]) },
      { key: other, written: writeFingerprints(other, ["of the second key"]) },
    ]);
    expect(find()("of the first key, of the second key")).toEqual(["of the first key", "of the second key"]);
  });

  it("shows neither a secret nor that two organizations have the same one", () => {
    const written = (organizationId: string) =>
      writeFingerprints(deriveFingerprintKey(key, organizationId), ["the same for both"]);
    expect(written("one").toString("latin1")).not.toContain("the same");
    expect(written("one").equals(written("two"))).toBe(false);
    expect(written("one").equals(written("one"))).toBe(true);
  });

  it("takes no long time for long texts and many secrets", () => {
    const find = finderOf(...Array.from({ length: 1500 }, () => randomBytes(20).toString("hex")));
    const text = randomBytes(150_000).toString("base64");
    expect(find()(text)).toEqual([]);
    expect(shortestTime(() => find()(text))).toBeLessThan(500);
  });

  it("finds none that people choose, which could be tried one by one", () => {
    expect(finderOf("correct-horse-1")()("correct-horse-1")).toEqual([]);
  });

  it("takes the whole text for a secret when it would take too long to say", () => {
    const find = finderOf(`${"a".repeat(3000)}b`);
    const hostile = "a".repeat(200_000);
    expect(find()(hostile)).toEqual([hostile]);
    expect(shortestTime(() => find()(hostile))).toBeLessThan(200);
    const search = finderOf("a secret of ours")();
    expect(search("-".repeat(1024 * 1024 - 10))).toEqual([]);
    expect(search("anything that comes later")).toEqual(["anything that comes later"]);
  });
});
