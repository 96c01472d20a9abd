/** The path to go to after signing in: only ever a path of this origin, whatever a link asks for. */
export function safeNextPath(next: string | undefined, origin: string): string {
  if (!next?.startsWith("/") || !URL.canParse(next, origin)) return "/";
  const url = new URL(next, origin);
  // "/.//host" is read as the path "//host", which would be another host when it is read again.
  if (url.origin !== origin || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search + url.hash;
}
