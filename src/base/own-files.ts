import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** The folder of the server's code: src/, or that of a bundle, where this file is bundled but stays one level below it. */
export const codeFolder = path.dirname(import.meta.dirname);

/** Files that are found by looking have this ending: .ts in src/, .js in a bundle. */
export const codeExtension = path.extname(import.meta.filename);

/** Where the installation's package.json is: the checkout, or the package. */
export const rootFolder = findRoot(path.dirname(codeFolder));

/** The package comes without sources. A checkout may run from a bundle too. */
const isPackage = !existsSync(path.join(rootFolder, "src"));

/** What people type before the name of an operator command. */
export const commandLine = isPackage ? "switchyard" : "npm run -s cli --";

type Person = { platform: NodeJS.Platform; environment: Record<string, string | undefined>; home: string };

/** Where data goes unless SWITCHYARD_DATA_DIR says otherwise: beside the checkout's files, or where the package's user keeps data. */
export function defaultDataDir(environment: Person["environment"]): string {
  return isPackage ? userDataDir({ platform: process.platform, environment, home: homedir() }) : ".switchyard";
}

export function userDataDir({ platform, environment, home }: Person): string {
  if (platform === "darwin") return path.posix.join(home, "Library", "Application Support", "Switchyard");
  if (platform === "win32")
    return path.win32.join(environment.LOCALAPPDATA || path.win32.join(home, "AppData", "Local"), "Switchyard");
  // The rule for XDG_DATA_HOME: a relative path does not count.
  const named = environment.XDG_DATA_HOME;
  return path.posix.join(
    named && path.posix.isAbsolute(named) ? named : path.posix.join(home, ".local", "share"),
    "switchyard",
  );
}

function findRoot(folder: string): string {
  const above = path.dirname(folder);
  return existsSync(path.join(folder, "package.json")) || above === folder ? folder : findRoot(above);
}
