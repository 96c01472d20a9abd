import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findLongFunctions, findPackedProperties, mostLines } from "./style/check-style.ts";

const root = path.resolve(import.meta.dirname, "../..");

function readFiles(pattern: string): Map<string, string> {
  const names = globSync(pattern, { cwd: root, exclude: (name) => /node_modules/.test(String(name)) });
  return new Map(names.map((name) => [name.replaceAll(path.sep, "/"), readFileSync(path.join(root, name), "utf8")]));
}

describe("the code of this repository", () => {
  it(`has no function of more than ${mostLines} lines`, () => {
    const files = [...readFiles("{src,web}/**/*.{ts,tsx}")].filter(([file]) => !/\.test\.tsx?$/.test(file));
    expect(files.length).toBeGreaterThan(500);
    expect(files.flatMap(([file, text]) => findLongFunctions(file, text))).toEqual([]);
  });

  it("writes the properties of an object plainly, not packed into literals that are spread", () => {
    const files = [...readFiles("{src,web,test,bench,scripts,deploy}/**/*.{ts,tsx,mjs}")];
    expect(files.length).toBeGreaterThan(1000);
    expect(files.flatMap(([file, text]) => findPackedProperties(file, text))).toEqual([]);
  });
});

describe("the check of the length of functions", () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `  const value${index} = ${index};\n`).join("");

  it("counts the lines of code from the name to the end", () => {
    expect(findLongFunctions("a.ts", `function short() {\n${lines(58)}}`)).toEqual([]);
    expect(findLongFunctions("a.ts", `function long() {\n${lines(59)}}`)).toEqual(["a.ts: long has 61 lines"]);
    expect(findLongFunctions("a.ts", `const long = () => {\n${lines(59)}};`)).toEqual(["a.ts: long has 61 lines"]);
    expect(findLongFunctions("a.ts", `const one = { long() {\n${lines(59)}} };`)).toEqual(["a.ts: long has 61 lines"]);
  });

  it("leaves out blank lines, comments, and functions inside, which are counted by themselves", () => {
    const blank = "\n".repeat(20);
    const comments = "  // words\n  /** and\n      more */\n".repeat(20);
    const inside = `  const inner = () => {\n${lines(50)}  };\n`;
    expect(findLongFunctions("a.ts", `function outer() {\n${lines(40)}${blank}${comments}${inside}${inside}}`)).toEqual(
      [],
    );
    const long = `  const inner = () => {\n${lines(59)}  };\n`;
    expect(findLongFunctions("a.ts", `function outer() {\n${long}}`)).toEqual(["a.ts: inner has 61 lines"]);
  });

  it("counts what an element shows", () => {
    const rows = "    <p>words</p>\n".repeat(60);
    expect(findLongFunctions("a.tsx", `function Page() {\n  return (\n    <>\n${rows}    </>\n  );\n}`)).toEqual([
      "a.tsx: Page has 66 lines",
    ]);
  });
});

describe("the check of packed properties", () => {
  it.each([
    ["const a = { ...{ b, c }, d };"],
    ["const a = { b: { ...{ c } } };"],
    ["call({ ...{ b, c } });"],
    ["const page = <Page {...{ a, b }} />;"],
  ])("refuses %s", (text) => {
    expect(findPackedProperties("a.tsx", text)).toEqual(["a.tsx:1"]);
  });

  it.each([
    ["const a = { ...b, c };"],
    ["const a = { ...(b ? { c } : {}) };"],
    ["const a = [...[1, 2]];"],
    ["const page = <Page {...props} />;"],
    ["const text = `...{ a, b }`;"],
  ])("takes %s", (text) => {
    expect(findPackedProperties("a.tsx", text)).toEqual([]);
  });
});
