import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const script = pathToFileURL(path.resolve("scripts/list-licenses.mjs")).href;
const scratch = mkdtempSync(path.join(tmpdir(), "switchyard-licenses-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function list(root: string) {
  const program = `const { listLicenses } = await import(${JSON.stringify(script)}); listLicenses(${JSON.stringify(root)});`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  return { status, lines: stdout.trim().split("\n"), stderr };
}

/** A product with these packages. */
function createProduct(licenses: Record<string, string>, { bundled = "", packed = "" } = {}) {
  const packages = Object.entries(licenses).map(([name, license]) => [
    `node_modules/${name}`,
    { version: "1.0.0", license },
  ]);
  const development = ["node_modules/tool", { version: "1.0.0", license: "GPL-3.0-only", dev: true }];
  mkdirSync(path.join(scratch, "dist", "web"), { recursive: true });
  const lockfile = { packages: Object.fromEntries([["", {}], ...packages, development]) };
  writeFileSync(path.join(scratch, "package-lock.json"), JSON.stringify(lockfile));
  writeFileSync(path.join(scratch, "dist", "web", "licenses.md"), bundled);
  mkdirSync(path.join(scratch, "lib"), { recursive: true });
  writeFileSync(path.join(scratch, "lib", "licenses.md"), packed);
  return scratch;
}

describe("the list of licences", () => {
  it("names what runs with the server and what is part of the web UI, and allows all of it", () => {
    const { status, lines, stderr } = list(process.cwd());
    expect([status, stderr]).toEqual([0, ""]);
    expect(lines).toContainEqual(expect.stringMatching(/^fastify \S+ MIT$/));
    expect(lines).toContainEqual(expect.stringMatching(/^react \S+ MIT$/));
    expect(lines.filter((line) => line.startsWith("vitest "))).toEqual([]);
  });

  it("refuses a package that may not be passed on, wherever it is, and not what only developers use", () => {
    const { status, stderr } = list(
      createProduct(
        { good: "MIT", bad: "GPL-3.0-only" },
        { bundled: "## worse - 2.0.0 (SSPL-1.0)\n", packed: "## good - 1.0.0 (MIT)\n\n## worst - 3.0.0 (BUSL-1.1)\n" },
      ),
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^bad 1\.0\.0: the licence GPL-3\.0-only .*\nworse 2\.0\.0: .* SSPL-1\.0 .*\nworst 3\.0\.0: .* BUSL-1\.1 .*\n$/,
    );
    expect(list(createProduct({ good: "MIT" })).status).toBe(0);
  });

  it("understands a choice of licences, several at once and none", () => {
    const { stderr } = list(createProduct({ choice: "(GPL-2.0-only OR MIT)", both: "MIT AND GPL-2.0-only", none: "" }));
    expect(stderr.split("\n").map((line) => line.split(" ")[0])).toEqual(["both", "none", ""]);
  });
});
