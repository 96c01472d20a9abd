import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{src,web,test}/**/*.test.{ts,tsx}"],
    exclude: ["**/node_modules/**", "dist/**"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    watch: false,
    reporters: ["default"],
  },
});
