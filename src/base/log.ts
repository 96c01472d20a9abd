import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

/** JSON lines on stderr: stdout belongs to what a command answers. */
export function createLog(level: string, destination: DestinationStream = pino.destination({ fd: 2, sync: true })): Log {
  return pino({ level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, redact: secretPaths }, destination);
}

// Nothing logs these on purpose; libraries hang whole requests and connections onto their errors.
const secretNames = ["password", "cookie", "authorization", "key", "token", "apiKey", "secret"];
const secretPaths = ["", "*.", "*.*."].flatMap((place) => secretNames.map((name) => place + name));
