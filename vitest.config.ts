import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{src,web,test}/**/*.test.{ts,tsx}"],
    exclude: ["**/node_modules/**", "dist/**"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    // One more than the usual two cores: many tests wait for processes and time limits.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    watch: false,
    reporters: ["default"],
  },
});
