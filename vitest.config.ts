import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{src,web,test}/**/*.test.{ts,tsx}"],
    exclude: ["**/node_modules/**", "dist/**"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    // No more than the usual two cores: tests with browsers and several servers fill them, and what is measured in time suffers first.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    watch: false,
    reporters: ["default"],
  },
});
