import { mkdirSync, readFileSync, rmSync, statSync, utimes, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const beatMs = 1000;
const silenceMs = 10_000;
const pollMs = 200;
/** A process number may be given to somebody else: nobody waits for ever for one. */
const orphanLimitMs = 10 * 60_000;

/**
 * Runs the work while no other process holds the same lock file. The lock of a process that died is taken over, and the work is told; but not
 * while a child that it noted is still at work, which a SIGKILL of its parent does not end.
 */
export async function withLock(file, work) {
  mkdirSync(path.dirname(file), { recursive: true });
  const wasAbandoned = await acquire(file);
  const beat = setInterval(() => utimes(file, new Date(), new Date(), () => {}), beatMs);
  try {
    const noteChild = ({ pid }) => pid !== undefined && writeFileSync(file, `${hostname()} ${process.pid} ${pid}`);
    return await work({ wasAbandoned, noteChild });
  } finally {
    clearInterval(beat);
    rmSync(file, { force: true });
  }
}

async function acquire(file) {
  if (create(file)) return false;
  process.stderr.write("switchyard: waiting for another start to finish its preparation\n");
  let wasAbandoned = false;
  let seen = { state: "", since: 0 };
  while (!create(file)) {
    const holder = readHolder(file);
    if (holder.state !== seen.state) seen = { state: holder.state, since: performance.now() };
    // Silence is measured on our own clock, so that a wrong or jumping clock cannot free a living lock.
    const silentMs = performance.now() - seen.since;
    wasAbandoned = holder.gone || silentMs > (holder.hasOrphan ? orphanLimitMs : silenceMs);
    if (!wasAbandoned) await sleep(pollMs);
    else if (readHolder(file).state === holder.state) rmSync(file, { force: true });
  }
  return wasAbandoned;
}

function create(file) {
  try {
    writeFileSync(file, `${hostname()} ${process.pid}`, { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function readHolder(file) {
  try {
    const text = readFileSync(file, "utf8");
    const [host, pid, child] = text.split(" ");
    const isHere = host === hostname();
    const hasOrphan = isHere && child !== undefined && isAlive(Number(child));
    const gone = isHere && !hasOrphan && (Number(pid) === process.pid || !isAlive(Number(pid)));
    return { state: `${text} ${statSync(file).mtimeMs}`, gone, hasOrphan };
  } catch (error) {
    if (error.code === "ENOENT") return { state: "released", gone: false, hasOrphan: false };
    throw error;
  }
}

/** False for a process of this machine that has ended. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
