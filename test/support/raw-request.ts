import { connect } from "node:net";

/** Sends bytes as they are and returns everything the server answers until it closes or falls silent. */
export function rawRequest(baseUrl: string, bytes: string | Buffer, silenceMs = 500): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let answer = "";
    const done = () => resolve(answer);
    socket.setTimeout(silenceMs, () => socket.destroy());
    socket.on("connect", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("close", done);
    socket.on("error", (error) => (answer === "" ? reject(error) : done()));
  });
}
