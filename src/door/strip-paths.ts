import type { IncomingMessage } from "node:http";

/** A public address may have a path, which a proxy takes away or leaves: either way the same is asked for. */
export function createStripPaths(publicUrls: string[]): (request: IncomingMessage) => string {
  const paths = [...new Set(publicUrls.map((url) => new URL(url).pathname.replace(/\/+$/, "")))].filter(
    (path) => path !== "",
  );
  // One may lie below another.
  paths.sort((one, other) => other.length - one.length);
  return ({ url = "/" }) => {
    // The path may be the name of a server: what is left must be more than its last part.
    const path = paths.find((one) => url.startsWith(`${one}/`) && !/^\/mcp(?:\?|$)/.test(url.slice(one.length)));
    return path === undefined ? url : url.slice(path.length);
  };
}
