// Healthy while every door that is open says it is ready. A worker alone has one only with OPERATIONS_PORT.
const ports = [process.env.PLATFORM_API_PORT || 3000, process.env.MCP_API_PORT || 3100];
if (process.env.OPERATIONS_PORT) ports.push(process.env.OPERATIONS_PORT);
const answers = await Promise.all(
  ports.map((port) =>
    fetch(`http://localhost:${port}/readyz`, { signal: AbortSignal.timeout(4_000) }).then(
      ({ ok }) => ok,
      ({ cause }) => (cause?.code === "ECONNREFUSED" ? undefined : false),
    ),
  ),
);
const isHealthy = answers.includes(true) && !answers.includes(false);
process.exit(isHealthy ? 0 : 1);
