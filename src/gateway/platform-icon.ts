import { readFileSync } from "node:fs";
import path from "node:path";
import { codeFolder } from "../base/own-files.ts";

/** The icon of the product itself, for the servers that stand for no provider. */
export const readPlatformIcon = (): string =>
  readFileSync(path.join(codeFolder, "gateway", "platform-tools", "icon.svg"), "utf8");
