import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

/** The packages and the own files that are loaded together with a module. */
async function loadedWith(file: string): Promise<{ packages: string[]; files: string[] }> {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context); } });
    await import(${JSON.stringify(pathToFileURL(path.join(root, file)).href)});
    process.stdout.write(JSON.stringify([...loaded]));
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: root,
  });
  const urls = JSON.parse(stdout) as string[];
  const own = pathToFileURL(path.join(root, "src/")).href;
  return {
    packages: urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []),
    files: urls.filter((url) => url.startsWith(own)).map((url) => `src/${url.slice(own.length)}`),
  };
}

let ofEveryProcess: Awaited<ReturnType<typeof loadedWith>>;

beforeAll(async () => {
  ofEveryProcess = await loadedWith("src/app.ts");
});

it("loads the large libraries of a door only in the processes that open it", async () => {
  expect(ofEveryProcess.packages).toContain("pg-boss");
  expect(ofEveryProcess.packages.filter((name) => name.includes("fastify"))).toEqual([]);
  const ofDoors = {
    "src/platform/server.ts": "@fastify/helmet",
    "src/oauth/authorization-server.ts": "oidc-provider",
  };
  for (const [file, name] of Object.entries(ofDoors)) {
    expect((await loadedWith(file)).packages, file).toContain(name);
    expect(ofEveryProcess.packages).not.toContain(name);
  }
});

it("loads the routes of all features together with the platform, and in no other process", async () => {
  const registered = globSync("src/*/open-*.ts", { cwd: root }).flatMap((file) =>
    [...readFileSync(path.join(root, file), "utf8").matchAll(/import\("\.\/([\w-]*routes\.ts)"\)/g)].map(
      ([, name]) => `${path.posix.dirname(file)}/${name}`,
    ),
  );
  expect(registered.length).toBeGreaterThan(10);
  expect(ofEveryProcess.files.filter((file) => file.endsWith("routes.ts"))).toEqual([]);
  expect((await loadedWith("src/start-up/open-platform.ts")).files).toEqual(expect.arrayContaining(registered));
});
