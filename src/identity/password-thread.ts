import { scryptSync } from "node:crypto";
import { getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { HashAnswer, HashQuestion } from "./password-hashing.ts";

// The cost that stored passwords were hashed with: another one would lock everybody out.
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 };
const keyLength = 64;

// Those who are signed in go first. Only Linux gives a thread a priority of its own; elsewhere this would be that of the whole process.
if (process.platform === "linux") setPriority(Math.min(getPriority() + 10, 19));

parentPort?.on("message", ({ password, salt }: HashQuestion) => {
  const answer: HashAnswer = scryptSync(password.normalize("NFKC"), salt, keyLength, cost).toString("hex");
  parentPort?.postMessage(answer);
});
