import { execFile } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

/** The packages that are loaded together with a module. */
async function packagesOf(file: string): Promise<string[]> {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({ load(url, context, next) { loaded.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]); return next(url, context); } });
    await import(${JSON.stringify(pathToFileURL(path.join(root, file)).href)});
    process.stdout.write(JSON.stringify([...loaded].filter(Boolean)));
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { cwd: root });
  return JSON.parse(stdout) as string[];
}

it("loads the large libraries of a door only in the processes that open it", async () => {
  const ofEveryProcess = await packagesOf("src/app.ts");
  expect(ofEveryProcess).toContain("pg-boss");
  const ofDoors = {
    "src/platform/server.ts": "@fastify/helmet",
    "src/oauth/authorization-server.ts": "oidc-provider",
  };
  for (const [file, name] of Object.entries(ofDoors)) {
    expect(await packagesOf(file), file).toContain(name);
    expect(ofEveryProcess).not.toContain(name);
  }
});
