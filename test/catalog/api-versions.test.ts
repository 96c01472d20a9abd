import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type ApiVersion, findNearEnds } from "../../src/contract/api-version.ts";

const root = path.resolve(import.meta.dirname, "../..");
const files = globSync("src/providers/*/api-version.ts", { cwd: root }).sort();
const load = async (file: string) =>
  ((await import(path.join(root, file))) as { apiVersions: Record<string, ApiVersion> }).apiVersions;

describe("the end of a version", () => {
  it("is near from 90 days before on", () => {
    const versions = { api: { version: "v1", endsOn: "2027-04-01" }, open: { version: "v2", endsOn: null } };
    expect(findNearEnds(versions, new Date("2026-12-31T12:00:00Z"))).toEqual([
      "api: v1 ends on 2027-04-01; move on to the next one",
    ]);
    expect(findNearEnds(versions, new Date("2026-12-30"))).toEqual([]);
    expect(findNearEnds(versions, new Date("2028-01-01"))).toHaveLength(1);
  });
});

describe("the versions that requests name", () => {
  it("are kept in one place of their provider", () => {
    expect(files.map((file) => file.split("/")[2])).toEqual(
      expect.arrayContaining(["github", "hubspot", "notion", "stripe", "whatsapp"]),
    );
  });

  // When this fails, read the vendor's guide to the next version, change the version and its end, and what the guide says has changed.
  it.each(files)("do not end within 90 days: %s", async (file) => {
    expect(findNearEnds(await load(file), new Date())).toEqual([]);
  });

  it.each(files)("are written down nowhere else: %s", async (file) => {
    const others = globSync(`${path.dirname(file)}/*.ts`, { cwd: root }).filter(
      (one) => one !== file && !one.endsWith(".test.ts"),
    );
    const versions = Object.values(await load(file)).map(({ version }) => version);
    const repeated = others.filter((one) =>
      versions.some((version) => readFileSync(path.join(root, one), "utf8").includes(version)),
    );
    expect(repeated).toEqual([]);
  });
});
