import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{src,web,test}/**/*.test.{ts,tsx}"],
    exclude: ["**/node_modules/**", "dist/**"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    // No more than the usual two cores: tests with browsers and several servers fill them, and what is measured in time suffers first.
    maxWorkers: 2,
    // What must be quick says so itself; these only end what hangs, also on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    watch: false,
    reporters: ["default"],
  },
});
