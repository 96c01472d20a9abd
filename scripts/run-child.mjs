import { spawn } from "node:child_process";

const parentWatchMs = 250;

/** Runs a command to its end and gives its exit code; signals reach it, and one that ended it ends this process too. */
export async function runChild(command, words, options, onStart = () => {}) {
  const child = spawn(command, words, options);
  onStart(child);
  const stopForwarding = forwardSignals(child);
  const stopWatching = endWithParent(child);
  try {
    const { code, signal } = await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code, signal }));
    });
    stopForwarding();
    if (signal) process.kill(process.pid, signal);
    return code;
  } finally {
    stopForwarding();
    stopWatching();
  }
}

function forwardSignals(child) {
  const atTerminal = process.stdin.isTTY;
  const forwarders = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => {
    // A terminal sends these to the whole process group: forwarding would make one Ctrl-C look like two.
    const forward = () => (atTerminal && signal !== "SIGTERM" ? undefined : child.kill(signal));
    process.on(signal, forward);
    return () => process.off(signal, forward);
  });
  return () => {
    for (const remove of forwarders) remove();
  };
}

// npm does not pass on a SIGTERM sent to it, it just dies.
function endWithParent(child) {
  if (!process.env.npm_lifecycle_event) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), parentWatchMs);
  return () => clearInterval(timer);
}
