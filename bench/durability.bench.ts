import { runCrashRounds } from "../test/support/crash-rounds.ts";

const { rounds, acknowledged, lost } = await runCrashRounds(Number(process.argv[2] ?? 20));
console.log(JSON.stringify({ name: "durability", rounds, acknowledged, lost, bar: 0, ok: lost === 0 }));
if (lost > 0) process.exitCode = 1;
