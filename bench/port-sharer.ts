import cluster, { type Worker } from "node:cluster";
import { createServer } from "node:http";

// Two processes behind one port, shared in the way that is named first; "kill" ends one of them, and another takes its place.
const [way, port] = process.argv.slice(2);
const workMs = 0.3;

if (cluster.isPrimary) supervise();
else serve();

function supervise(): void {
  cluster.schedulingPolicy = way === "round robin" ? cluster.SCHED_RR : cluster.SCHED_NONE;
  const up = new Set<Worker>();
  const start = () => {
    const worker = cluster.fork();
    worker.on("message", () => {
      up.add(worker);
      process.send?.({ up: up.size });
    });
    worker.on("exit", () => {
      up.delete(worker);
      start();
    });
  };
  start();
  start();
  process.on("message", () => {
    const [victim] = up;
    if (victim) up.delete(victim);
    victim?.process.kill("SIGKILL");
  });
  process.on("disconnect", () => process.exit(0));
}

function serve(): void {
  const server = createServer((_request, response) => {
    const until = performance.now() + workMs;
    while (performance.now() < until);
    response.setHeader("X-Process", process.pid).end("ok");
  });
  const own = way === "SO_REUSEPORT" ? { reusePort: true, exclusive: true } : {};
  server.listen({ host: "127.0.0.1", port: Number(port), ...own }, () => process.send?.("up"));
}
