import { existsSync } from "node:fs";
import path from "node:path";

/** "this process" when the running Node is new enough, else the path of the Node 24 that was installed as a dependency. */
export function chooseNode({ root, version, platform, arch }) {
  if (Number(version.split(".")[0]) >= 24) return "this process";
  const name = `node-${platform === "win32" ? "win" : platform}-${arch}`;
  const binary = path.join(root, "node_modules", name, "bin", platform === "win32" ? "node.exe" : "node");
  if (existsSync(binary)) return binary;
  throw new Error(`needs Node.js 24 or newer; this is ${version}, and npm has no Node.js 24 for ${platform} ${arch}`);
}
