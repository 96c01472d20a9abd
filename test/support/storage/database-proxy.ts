import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { TestServer } from "../global-setup.ts";

/** A TCP way to a database that can be slow, swallow everything or the answers only, or be cut and come back. */
export async function startDatabaseProxy({ host, port, user, database }: TestServer) {
  const sockets = new Set<Socket>();
  const weather = { delayMs: 0, isBlackHole: false, isCut: false, losesAnswers: false };
  const proxy = createServer((near) => {
    if (weather.isCut) return near.destroy();
    const far = connect(`${host}/.s.PGSQL.${port}`);
    const forward = (to: Socket) => (chunk: Buffer) => {
      if (weather.isBlackHole) return;
      if (weather.delayMs === 0) to.write(chunk);
      else setTimeout(() => to.write(chunk), weather.delayMs);
    };
    near.on("data", forward(far));
    const answer = forward(near);
    far.on("data", (chunk) => weather.losesAnswers || answer(chunk));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        for (const end of [near, far]) end.destroy();
      });
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const cutAll = () => sockets.forEach((socket) => void socket.destroy());
  return {
    target: { host: "127.0.0.1", port: (proxy.address() as AddressInfo).port, user, database },
    weather,
    cut(): void {
      weather.isCut = true;
      cutAll();
    },
    close(): void {
      cutAll();
      proxy.close();
    },
  };
}
