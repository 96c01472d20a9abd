import type { FastifyRequest } from "fastify";
import { userOf } from "../door/caller.ts";
import type { Author } from "./author.ts";

export function authorOf(request: FastifyRequest): Author {
  const { userId, name } = userOf(request);
  return { userId, apiKeyId: null, name };
}
