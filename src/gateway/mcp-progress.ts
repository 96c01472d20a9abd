import { isRequestId } from "./mcp-message.ts";

/** How far a call is. Without a number it is one step further than before. */
export type Progress = { progress?: number; total?: number; message?: string };

type OpenStream = () => (message: string) => void;

/** What a call reports its progress to, when its caller asked for that and takes streams. Numbers that do not grow are left out. */
export function createProgress(
  token: unknown,
  openStream: OpenStream | undefined,
): ((progress: Progress) => void) | undefined {
  if (!isRequestId(token) || !openStream) return undefined;
  const send = openStream();
  let last = -1;
  return ({ progress = last + 1, total, message }) => {
    if (!(progress > last)) return;
    last = progress;
    const params = {
      progressToken: token,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message ? { message } : {}),
    };
    send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params }));
  };
}
