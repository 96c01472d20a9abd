import path from "node:path";
import { findCycles } from "./find-cycles.ts";
import { readImports } from "./read-imports.ts";
import {
  forbiddenNameParts,
  mayImport,
  onlyForGround,
  onlyPackage,
  sharedWithWeb,
  startUpFiles,
  startUpFolders,
  withoutWire,
} from "./rules.ts";

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The imported file, or undefined for a package. */
  readonly to: string | undefined;
}

/** Checks files (path from the root → text) against the rules and gives one sentence for each mistake. */
export function checkArchitecture(files: ReadonlyMap<string, string>): string[] {
  const own = [...files].filter(([file]) => !isTest(file));
  const imports = own.flatMap(([file, text]) => readImports(file, text).map((specifier) => resolve(file, specifier)));
  const checks = [checkDirection, checkStore, checkProvider, checkPackages];
  return [
    ...own.flatMap(([file]) => checkFileName(file)),
    ...imports.flatMap((one) => checks.flatMap((check) => check(one) ?? [])),
    ...findCycles(imports).map((cycle) => `import cycle: ${cycle.join(" → ")}`),
  ];
}

/** What the table allows although no file needs it: it would hide the next mistake. */
export function listUnusedPermissions(files: ReadonlyMap<string, string>): string[] {
  const own = [...files].filter(([file]) => !isTest(file));
  const imports = own.flatMap(([file, text]) => readImports(file, text).map((specifier) => resolve(file, specifier)));
  const used = new Set(
    imports.flatMap(({ from, to }) => (to === undefined || isWire(to) ? [] : [`${folderOf(from)} → ${folderOf(to)}`])),
  );
  const allowed = Object.entries(mayImport).flatMap(([folder, others]) =>
    others.map((other) => `${folder} → ${other}`),
  );
  return allowed.filter((one) => !used.has(one));
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file);
}

function resolve(from: string, specifier: string): Import {
  const to = specifier.startsWith(".") ? path.posix.join(path.posix.dirname(from), specifier) : undefined;
  return { from, specifier, to };
}

function checkFileName(file: string): string[] {
  const name = path.posix.basename(file);
  const bad = forbiddenNameParts.find((part) => name.split(/[-_.]/).includes(part));
  const barrel = /^index\.tsx?$/.test(name) && !/^src\/providers\/[^/]+\/index\.ts$/.test(file);
  return [...(bad ? [`${file}: a name with "${bad}" says nothing`] : []), ...(barrel ? [`${file}: no barrels`] : [])];
}

function checkDirection({ from, to }: Import): string | undefined {
  if (to === undefined || mayFileImport(from, to)) return undefined;
  return `${from} must not import ${to}`;
}

function mayFileImport(from: string, to: string): boolean {
  if (isWire(from)) return isWire(to);
  if (from.startsWith("web/")) return to.startsWith("web/") || isWire(to) || sharedWithWeb.includes(to);
  if (from === "src/config.ts") return folderOf(to) === "base";
  return (
    startUpFiles.includes(from) || startUpFolders.some((folder) => from.startsWith(folder)) || mayFolderImport(from, to)
  );
}

function mayFolderImport(from: string, to: string): boolean {
  const folder = folderOf(from);
  const allowed = mayImport[folder];
  if (allowed === undefined)
    throw new Error(`${from}: its place is not in the table of test/repository/architecture/rules.ts`);
  if (folderOf(to) === folder || allowed.includes(folderOf(to))) return true;
  if (onlyForGround.includes(to)) return folder === "ground";
  return isWire(to) && !withoutWire.includes(folder);
}

function checkStore({ from, to }: Import): string | undefined {
  if (to === undefined || !/(^|[/-])store\.ts$/.test(to) || folderOf(to) === folderOf(from)) return undefined;
  return `${from} must not import ${to}: a store belongs to its folder`;
}

function checkProvider({ from, to }: Import): string | undefined {
  const [mine, theirs] = [providerOf(from), to === undefined ? undefined : providerOf(to)];
  if (mine === undefined || theirs === undefined || mine === theirs || theirs.startsWith("_")) return undefined;
  return `${from} must not import ${to}: providers do not know each other`;
}

function checkPackages({ from, to, specifier }: Import): string | undefined {
  if (to !== undefined || (specifier.startsWith("node:") && !isWire(from))) return undefined;
  const allowed = isWire(from) ? onlyPackage.wire : onlyPackage[folderOf(from)];
  return allowed === undefined || specifier === allowed ? undefined : `${from} must not import ${specifier}`;
}

function isWire(file: string): boolean {
  return /^src\/[^/]+\/([a-z]+-)*wire\.ts$/.test(file);
}

function folderOf(file: string): string {
  return file.startsWith("src/") && file.split("/").length > 2 ? (file.split("/")[1] ?? "") : "";
}

function providerOf(file: string): string | undefined {
  return /^src\/providers\/([^/]+)\//.exec(file)?.[1];
}
