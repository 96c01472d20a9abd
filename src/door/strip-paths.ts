import type { IncomingMessage } from "node:http";

/** A public address may have a path, which a proxy takes away or leaves: either way the same is asked for. */
export function createStripPaths(publicUrls: string[]): (request: IncomingMessage) => string {
  const paths = [...new Set(publicUrls.map((url) => new URL(url).pathname.replace(/\/+$/, "")))].filter((path) => path !== "");
  return ({ url = "/" }) => {
    const path = paths.find((one) => url.startsWith(`${one}/`));
    // The path may be the name of a server: what is left must be more than its last part.
    return path === undefined || /^\/mcp(?:\?|$)/.test(url.slice(path.length)) ? url : url.slice(path.length);
  };
}
