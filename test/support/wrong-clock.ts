import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("./shift-clock.mjs", import.meta.url));

/** The environment of a process whose clock is wrong: by so much from its start, by so much after it got SIGUSR2. */
export const wrongClock = ({ shiftMs = 0, jumpMs = 0 }: { shiftMs?: number; jumpMs?: number }) => ({
  NODE_OPTIONS: `--import ${script}`,
  TEST_CLOCK_SHIFT_MS: String(shiftMs),
  TEST_CLOCK_JUMP_MS: String(jumpMs),
});
