import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, type McpServer, type Server } from "@modelcontextprotocol/server";

/** A server made with the official SDK, as its documentation shows, on a port of its own. */
export async function startSdkServer(create: () => McpServer | Server) {
  const handle = toNodeHandler(createMcpHandler(create));
  const http = createServer((request, response) => void handle(request as NodeIncomingMessageLike, response));
  await new Promise<void>((resolve) => http.listen(0, "localhost", resolve));
  return {
    url: `http://localhost:${(http.address() as AddressInfo).port}`,
    stop: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
