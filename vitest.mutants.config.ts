import { defineConfig } from "vitest/config";
import { globalSetup, shared } from "./vitest.config.ts";

const tests = process.env.SWITCHYARD_MUTANTS_TESTS?.split(",") ?? [];

// Node reads the TypeScript itself, as in the product: the tests start anew for every change, and that way it takes the least time.
export default defineConfig({
  test: { ...shared, globalSetup, include: tests, experimental: { viteModuleRunner: false } },
});
