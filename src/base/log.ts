import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

/** JSON lines on stderr: stdout belongs to what a command answers. */
export function createLog(
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
  /** Which of several processes of a machine this is. */
  place: { process?: number | "supervisor" } = {},
): Log {
  const hooks = { streamWrite: escapeControls };
  return pino(
    {
      level,
      base: { pid: process.pid, ...place },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: secretPaths,
      hooks,
    },
    destination,
  );
}

/** What JSON may hold as it is, but a terminal obeys or a reader of lines takes for an end. */
const escapeControls = (line: string): string =>
  line.replaceAll(/[\u007f-\u009f\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

// Nothing logs these on purpose; libraries hang whole requests and connections onto their errors.
const secretNames = ["password", "cookie", "authorization", "key", "token", "apiKey", "secret"];
const secretPaths = ["", "*.", "*.*."].flatMap((place) => secretNames.map((name) => place + name));
