/** A number of bytes as people say it: 20 MB, 98 KB, 7 bytes. */
export function describeBytes(bytes: number): string {
  if (bytes >= 1024 * 1024) return `${round(bytes / 1024 / 1024)} MB`;
  return bytes >= 1024 ? `${round(bytes / 1024)} KB` : `${bytes} bytes`;
}

const round = (amount: number): number => (amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount));
