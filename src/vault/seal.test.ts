import { randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSeal } from "./seal.ts";

const context = { organizationId: randomUUID(), credentialId: randomUUID() };
const [one, other] = [randomBytes(32), randomBytes(32)];
const seal = createSeal(() => ({ current: one, previous: [] }));
const unreadable = expect.objectContaining({ code: "credential_unreadable" });

describe("a sealed text", () => {
  it("opens to what it was, and is never the same twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const sealed = seal.seal(text, context);
        expect(seal.open(sealed, context)).toBe(text);
        expect(sealed).not.toEqual(seal.seal(text, context));
      }),
    );
  });

  it("does not open with any byte changed, added or cut off", () => {
    const sealed = seal.seal("a secret", context);
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => seal.open(changed, context)).toThrow(unreadable);
      expect(() => seal.open(sealed.subarray(0, index), context)).toThrow(unreadable);
    }
    expect(() => seal.open(Buffer.concat([sealed, Buffer.from([0])]), context)).toThrow(unreadable);
  });

  it("does not open in another row or another organization", () => {
    const sealed = seal.seal("a secret", context);
    expect(() => seal.open(sealed, { ...context, credentialId: randomUUID() })).toThrow(unreadable);
    expect(() => seal.open(sealed, { ...context, organizationId: randomUUID() })).toThrow(unreadable);
  });

  it("says nothing of the secret or the key when it does not open", () => {
    const sealed = createSeal(() => ({ current: other, previous: [] })).seal("canary-secret", context);
    try {
      seal.open(sealed, context);
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify([(error as Error).message, (error as Error).cause])).not.toMatch(
        /canary|auth|key id|[0-9a-f]{16}/,
      );
    }
  });
});

describe("the key ring", () => {
  it("opens what an earlier key sealed and seals with the current one", () => {
    const old = createSeal(() => ({ current: other, previous: [] })).seal("text", context);
    const both = createSeal(() => ({ current: one, previous: [other] }));
    expect(both.open(old, context)).toBe("text");
    expect(both.keyIdOf(both.seal("text", context))).toBe(both.currentKeyId());
    expect(both.keyIdOf(old)).not.toBe(both.currentKeyId());
  });

  it("is read again when a key is unknown, and before every sealing", () => {
    let ring = { current: one, previous: [] as Buffer[] };
    const running = createSeal(() => ring);
    const early = running.seal("early", context);
    ring = { current: other, previous: [one] };
    const late = createSeal(() => ring).seal("late", context);
    expect([running.open(late, context), running.open(early, context)]).toEqual(["late", "early"]);
    expect(running.keyIdOf(running.seal("x", context))).toBe(running.keyIdOf(late));
  });
});
