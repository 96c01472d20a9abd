import type { FastifyRequest } from "fastify";
import { userOf } from "../door/caller.ts";

/** Who starts a run, as the run names them. */
export const personOf = (request: FastifyRequest) => {
  const { userId, name } = userOf(request);
  return { id: userId, name };
};
