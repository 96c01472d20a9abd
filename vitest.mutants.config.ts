import { defineConfig } from "vitest/config";
import everyday from "./vitest.config.ts";

const tests = process.env.SWITCHYARD_MUTANTS_TESTS?.split(",") ?? [];

// Node reads the TypeScript itself, as in the product: the tests start anew for every change, and that way it takes the least time.
export default defineConfig({ ...everyday, test: { ...everyday.test, include: tests, experimental: { viteModuleRunner: false } } });
