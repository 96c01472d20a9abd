import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { createDoor, type DoorOptions } from "../door/create-door.ts";
import { registerOperationsRoutes } from "../door/operations-routes.ts";

/** Port 3100: the MCP servers and the authorization server. */
export async function createGatewayServer({ door }: { door: Omit<DoorOptions, "name"> }): Promise<FastifyInstance> {
  const server = createDoor({ ...door, name: "gateway" });
  server.addHook("onRoute", (route) => {
    const isPreflight = route.method === "OPTIONS" && route.url === "*";
    if (isPreflight) route.config = { ...route.config, access: "public" };
  });
  // Any page may call, because no cookie means anything here.
  await server.register(cors, {
    origin: "*",
    credentials: false,
    strictPreflight: false,
    exposedHeaders: ["WWW-Authenticate", "X-Request-Id"],
  });
  registerOperationsRoutes(server, door);
  return server;
}
