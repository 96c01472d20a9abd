/** Where an address leads to, for people; the rest of it may be a secret. */
export const nameHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : "an unknown host");

/** Whether only this machine itself goes by the name. */
export function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname === "::1" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
