import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rootFolder } from "../base/own-files.ts";
import { registerPublic } from "../door/access.ts";

const webUiFolder = join(rootFolder, "dist", "web");
const indexPage = join(webUiFolder, "index.html");

/** Files of the built web UI. Names under /assets carry a hash of the content, so they never change. */
export async function registerWebUi(server: FastifyInstance): Promise<void> {
  if (!existsSync(indexPage)) return;
  await registerPublic(server, async (scope) => {
    await scope.register(fastifyStatic, {
      root: webUiFolder,
      wildcard: false,
      // The build leaves them beside the files; they are no pages of their own.
      preCompressed: true,
      globIgnore: ["**/*.{br,gz}"],
      cacheControl: false,
      decorateReply: false,
      setHeaders: (reply, path) => {
        reply.header("Cache-Control", path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");
      },
    });
  });
}

/** Paths that only the web UI's own router knows get its start page. */
export function answerWithPage(request: FastifyRequest, reply: FastifyReply): boolean {
  const isPage = request.method === "GET" && (request.headers.accept ?? "").includes("text/html");
  if (!isPage || /^\/(api|assets|docs|task-runner)(\/|$)/.test(request.url) || !existsSync(indexPage)) return false;
  void reply.header("Cache-Control", "no-cache").type("text/html; charset=utf-8").send(readFileSync(indexPage));
  return true;
}
