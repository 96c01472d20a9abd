import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "../base/refusal.ts";

/** Tells an unknown path (404) from a known path with another method (405 with Allow). */
export function createAllowedMethods(server: FastifyInstance) {
  const methodsByPattern = new Map<string, { matches: RegExp; methods: Set<string> }>();

  server.addHook("onRoute", ({ url, method }) => {
    if (url.endsWith("*")) return;
    const entry = methodsByPattern.get(url) ?? { matches: patternOf(url), methods: new Set<string>() };
    for (const name of [method].flat()) entry.methods.add(name);
    methodsByPattern.set(url, entry);
  });

  return {
    refusalFor(request: FastifyRequest): Refusal {
      const path = request.url.split("?", 1)[0] ?? "/";
      const methods = [...methodsByPattern.values()]
        .filter(({ matches }) => matches.test(path))
        .flatMap((entry) => [...entry.methods]);
      if (methods.length === 0) return new Refusal("not_found", "There is nothing here.");
      const allow = [...new Set(methods)].sort().join(", ");
      return new Refusal("method_not_allowed", `Only ${allow} is possible here.`, { headers: { Allow: allow } });
    },
  };
}

function patternOf(url: string): RegExp {
  const segments = url
    .split("/")
    .map((segment) => (segment.startsWith(":") ? "[^/]+" : segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  return new RegExp(`^${segments.join("/")}$`);
}
