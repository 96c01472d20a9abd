/** `expiresAt` ↔ `--expires-at`, so that a mistake is named the way it was typed. */
export const toFlag = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
export const toName = (flag: string) => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
