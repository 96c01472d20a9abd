import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { readOptionsWithSecret } from "./secret-option.ts";

const folder = mkdtempSync(join(tmpdir(), "switchyard-secret-"));
const file = join(folder, "secret");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schema = z.object({ name: z.string(), password: z.string().min(8).optional() });
const piped = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)));
const terminal = () => Object.assign(piped("typed later"), { isTTY: true });
const read = (words: string[], stdin: Readable & { isTTY?: boolean } = piped()) =>
  readOptionsWithSecret(["--name", "x", ...words], schema, { secret: "password", stdin });

describe("a secret option", () => {
  it("may be given as it is, or not at all", async () => {
    expect(await read(["--password", "canary-word"])).toEqual({ name: "x", password: "canary-word" });
    expect(await read([])).toEqual({ name: "x" });
  });

  it("comes from standard input, without the end of its last line and with everything else", async () => {
    expect(await read(["--password", "-"], piped("canary", "-wörd \n"))).toEqual({
      name: "x",
      password: "canary-wörd ",
    });
    expect(await read(["--password", "-"], piped("two\nlines\r\n"))).toEqual({ name: "x", password: "two\nlines" });
  });

  it("comes from a file", async () => {
    writeFileSync(file, "canary-word\n");
    expect(await read(["--password-file", file])).toEqual({ name: "x", password: "canary-word" });
  });

  it.each<[string, string[], (Readable & { isTTY?: boolean }) | undefined, string]>([
    ["a terminal", ["--password", "-"], terminal(), "--password: standard input is a terminal"],
    ["nothing in standard input", ["--password", "-"], piped(), "--password: standard input is empty"],
    ["an empty line in standard input", ["--password", "-"], piped("\n"), "--password: standard input is empty"],
    [
      "too much in standard input",
      ["--password", "-"],
      piped("x".repeat(2 ** 20), "x"),
      "--password: standard input is too large",
    ],
    [
      "bytes that are no text",
      ["--password", "-"],
      Readable.from([Buffer.from([0xff, 0xfe])]),
      "--password: standard input is not UTF-8",
    ],
    [
      "both forms",
      ["--password", "canary-word", "--password-file", file],
      undefined,
      "--password and --password-file: say only one",
    ],
    [
      "a file that is not there",
      ["--password-file", join(folder, "none")],
      undefined,
      "--password-file: cannot be read (ENOENT)",
    ],
    ["a folder", ["--password-file", folder], undefined, "--password-file: cannot be read (EISDIR)"],
    ["a file without a name", ["--password-file", ""], undefined, "--password-file: must not be empty"],
    ["what the schema refuses", ["--password", "-"], piped("canary"), "--password: must be at least 8"],
  ])("refuses %s", async (_name, words, stdin, message) => {
    writeFileSync(file, "canary-word\n");
    const failure = await read(words, stdin).catch((error: Error) => error.message);
    expect(failure).toContain(message);
    expect(failure).not.toContain("canary");
  });

  it("that is empty in its file is named by the file", async () => {
    writeFileSync(file, "\n");
    await expect(read(["--password-file", file])).rejects.toThrow("--password-file: the file is empty");
  });
});
