/** Opens an address of a provider in another tab. A browser may refuse; the page shows the same address as a link. */
export function openTab(address: string): void {
  if (isWebAddress(address)) window.open(address, "_blank", "noopener");
}

/** Addresses come from data, so that nothing but the web may be behind a link. */
export function isWebAddress(address: string): boolean {
  const protocol = URL.parse(address)?.protocol;
  return protocol === "https:" || protocol === "http:";
}
