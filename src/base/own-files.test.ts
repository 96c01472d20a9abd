import { describe, expect, it } from "vitest";
import { codeExtension, codeFolder, commandLine, defaultDataDir, userDataDir } from "./own-files.ts";

describe("the server's own files", () => {
  it("are those of the checkout here", () => {
    expect(codeFolder.endsWith("src")).toBe(true);
    expect({ codeExtension, commandLine, data: defaultDataDir({}) }).toEqual({
      codeExtension: ".ts",
      commandLine: "npm run -s cli --",
      data: ".switchyard",
    });
  });

  it.each([
    ["linux", {}, "/home/ann", "/home/ann/.local/share/switchyard"],
    ["linux", { XDG_DATA_HOME: "/data" }, "/home/ann", "/data/switchyard"],
    ["linux", { XDG_DATA_HOME: "data" }, "/home/ann", "/home/ann/.local/share/switchyard"],
    ["darwin", {}, "/Users/ann", "/Users/ann/Library/Application Support/Switchyard"],
    [
      "win32",
      { LOCALAPPDATA: "C:\\Users\\ann\\AppData\\Local" },
      "C:\\Users\\ann",
      "C:\\Users\\ann\\AppData\\Local\\Switchyard",
    ],
    ["win32", {}, "C:\\Users\\ann", "C:\\Users\\ann\\AppData\\Local\\Switchyard"],
  ] as const)("of the package keep data where a user of %s has it (%j)", (platform, environment, home, expected) => {
    expect(userDataDir({ platform, environment, home })).toBe(expected);
  });
});
