import { v7 } from "uuid";
import { takeRandomBytes } from "./random-bytes.ts";

let lastMs = 0;
let sequence = 0;

/** Time-ordered, so that index pages stay warm and lists can be cut by id; those of one millisecond are in order too. */
export function newId(): string {
  const random = takeRandomBytes(16);
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    // Of 32 bits the highest stays free, so that counting up does not run over.
    sequence = random.readUInt32BE(0) >>> 1;
  } else sequence += 1;
  return v7({ random, msecs: lastMs, seq: sequence });
}
