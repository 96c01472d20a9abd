export const isLoopbackHost = (hostname: string): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(hostname);

/** How a client is shown to people: as text on one line, without characters that turn or hide others. */
export function nameOfClient({ client_name: name, client_id: id }: Record<string, unknown>): string {
  const text = String(name ?? "")
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return text === "" ? String(id) : text;
}
