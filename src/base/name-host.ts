/** Where an address leads to, for people; the rest of it may be a secret. */
export const nameHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : "an unknown host");
