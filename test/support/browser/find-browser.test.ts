import { describe, expect, it } from "vitest";
import { findBrowser, tryBrowser } from "./find-browser.ts";

const only =
  (...files: string[]) =>
  (file: string) =>
    files.includes(file);

describe("the browser of the tests", () => {
  const chrome = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  const edge = "C:\\P\\Microsoft\\Edge\\Application\\msedge.exe";
  const path = { PATH: "/bin:/usr/bin" };
  const linux = { platform: "linux", arch: "x64", environment: path } as const;
  it.each([
    {
      name: "the one that is named",
      machine: {
        ...linux,
        environment: { SWITCHYARD_BROWSER: "/opt/b", ...path },
        exists: only("/opt/b", "/usr/bin/chromium"),
      },
      expected: { file: "/opt/b" },
    },
    {
      name: "the one of the path",
      machine: { ...linux, arch: "arm64", exists: only("/usr/bin/chromium") },
      expected: { file: "/usr/bin/chromium" },
    },
    {
      name: "Edge on Linux",
      machine: { ...linux, exists: only("/usr/bin/microsoft-edge") },
      expected: { file: "/usr/bin/microsoft-edge" },
    },
    { name: "the one from npm on Linux x64", machine: { ...linux, exists: only() }, expected: "the one from npm" },
    {
      name: "Chrome on a Mac",
      machine: { platform: "darwin", arch: "arm64", environment: {}, exists: only(chrome) } as const,
      expected: { file: chrome },
    },
    {
      name: "Edge on Windows",
      machine: { platform: "win32", arch: "x64", environment: { PROGRAMFILES: "C:\\P" }, exists: only(edge) } as const,
      expected: { file: edge },
    },
  ])("is $name", ({ machine, expected }) => {
    expect(findBrowser(machine)).toEqual(expected);
  });

  it.each([
    ["linux", "arm64"],
    ["darwin", "x64"],
  ] as const)("is missing where none fits: %s %s", (platform, arch) => {
    expect(findBrowser({ environment: { PATH: "/usr/bin" }, platform, arch, exists: () => false })).toEqual({
      missing: expect.stringContaining("install one"),
    });
  });

  it("is the one from npm only where that runs", async () => {
    const unpack = async () => "/tmp/chromium";
    expect(await tryBrowser("the one from npm", { unpack, runs: only("/tmp/chromium") })).toEqual({
      file: "/tmp/chromium",
    });
    const missing = { missing: "the browser from npm does not run here; install Chrome, Chromium or Edge" };
    expect(await tryBrowser("the one from npm", { unpack, runs: only() })).toEqual(missing);
    expect(await tryBrowser("the one from npm", { unpack: async () => "/nowhere/chromium" })).toEqual(missing);
    expect(await tryBrowser("the one from npm", { unpack: async () => process.execPath })).toEqual({
      file: process.execPath,
    });
    expect(await tryBrowser({ file: "/opt/b" }, { unpack, runs: only() })).toEqual({ file: "/opt/b" });
  });

  it("is missing when the named one does not exist, whatever else there is", () => {
    const found = findBrowser({
      environment: { SWITCHYARD_BROWSER: "/gone", PATH: "/usr/bin" },
      platform: "linux",
      arch: "x64",
      exists: only("/usr/bin/chromium"),
    });
    expect(found).toEqual({ missing: "SWITCHYARD_BROWSER is /gone, which does not exist" });
  });
});
