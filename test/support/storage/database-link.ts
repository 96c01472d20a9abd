import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { createTestDatabase } from "./test-database.ts";

/** A TCP way to a test database that can be cut, which for the product is a database that went away. */
export async function openDatabaseLink({ target }: Awaited<ReturnType<typeof createTestDatabase>>) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(`${target.host}/.s.PGSQL.${target.port}`);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => void [near, far].map((end) => end.destroy()));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://${target.user}@127.0.0.1:${port}/${target.database}?sslmode=disable`,
    cut(): void {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
