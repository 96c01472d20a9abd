import { once } from "node:events";
import { createLog } from "../../src/base/log.ts";
import { createTracing } from "../../src/base/tracing.ts";
import { type ConnectionTarget, createDatabase } from "../../src/storage/database.ts";
import { createSchedules } from "../../src/triggers/fire-schedules.ts";
import { createRecordingStartRun } from "./recording-start-run.ts";

// A process that fires schedules, with a clock of its own that is wrong.
const { target, clockShiftMs } = JSON.parse(process.argv[2] ?? "") as { target: ConnectionTarget; clockShiftMs: number };
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  construct: (real, given) => (given.length === 0 ? new real(RealDate.now() + clockShiftMs) : Reflect.construct(real, given)),
  get: (real, name, receiver) => (name === "now" ? () => RealDate.now() + clockShiftMs : Reflect.get(real, name, receiver)),
});

const log = createLog("error");
const db = createDatabase({ target, applicationName: "schedules", poolSize: 4, log });
const schedules = createSchedules({ db, startRun: createRecordingStartRun(db), log, tracing: createTracing() });
schedules.start();
process.stdout.write("up\n");
await once(process.stdin.resume(), "end");
await schedules.stop();
await db.close();
