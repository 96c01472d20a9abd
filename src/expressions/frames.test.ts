import fc from "fast-check";
import { expect, it } from "vitest";
import { createFrameReader, writeFrame } from "./frames.ts";

it("gives every message back as it was sent, however the pipe cuts it", () => {
  const message = fc.record({
    head: fc.record({ id: fc.nat(), text: fc.string({ unit: "grapheme" }) }),
    body: fc.string({ unit: "grapheme" }),
  });
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (messages, sizes) => {
        const told: unknown[] = [];
        const read = createFrameReader((head, body) => told.push({ head, body }));
        const bytes = Buffer.concat(messages.map(({ head, body }) => writeFrame(head, body)));
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          read(bytes.subarray(at, at + size));
          at += size;
        }
        expect(told).toEqual(messages);
      },
    ),
  );
});

it("takes no message that is longer than any", () => {
  const read = createFrameReader(() => {});
  expect(() => read(Buffer.from([0, 0, 0, 0x7f, 0, 0, 0, 0]))).toThrow("too long");
});
