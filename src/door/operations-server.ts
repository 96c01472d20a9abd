import type { FastifyInstance } from "fastify";
import { createDoor, type DoorOptions } from "./create-door.ts";
import { registerOperationsRoutes } from "./operations-routes.ts";

/** Health and metrics on a port of their own: a worker has no other door. */
export function createOperationsServer(door: Omit<DoorOptions, "name">): FastifyInstance {
  const server = createDoor({ ...door, name: "operations" });
  registerOperationsRoutes(server, door);
  return server;
}
