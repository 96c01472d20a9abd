import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{src,web,test}/**/*.test.{ts,tsx}"],
    exclude: ["**/node_modules/**", "dist/**"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    // One more than the usual two cores: many tests wait for processes and time limits.
    maxWorkers: 3,
    // What must be quick says so itself; these only end what hangs, also on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    watch: false,
    reporters: ["default"],
  },
});
