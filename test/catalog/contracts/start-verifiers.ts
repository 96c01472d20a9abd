import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export type Verifiers = Awaited<ReturnType<typeof startVerifiers>>;
export type Verifier = Verifiers["of"] extends (id: string) => Promise<infer One> ? One : never;

/** One request as the verifier saw it. */
export type SeenRequest = {
  method: string;
  path: string;
  query?: string;
  body?: unknown;
  status: number;
  internal?: string;
  violations: { level: "error" | "warn"; where: string; code: string; message: string }[];
};

/** An answer the verifier gives instead of its own; without status and body it only counts a request. */
export type ScriptedAnswer = {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  delayMs?: number;
  drop?: true;
  times?: number;
};

type Started = {
  url: string;
  close: () => Promise<void>;
  state: { lines: SeenRequest[]; script: ScriptedAnswer[] };
  doc: { servers?: { url: string }[] };
};
type StartVerifier = (options: { contract: string; quiet: boolean }) => Promise<Started>;

const cacheFolder = join(import.meta.dirname, "../../../node_modules/.cache");

/** Starts a verifier for each provider that is asked for. It runs as a copy below our packages, because it uses them. */
export async function startVerifiers(folder: string) {
  await mkdir(cacheFolder, { recursive: true });
  const copy = await mkdtemp(join(cacheFolder, "contracts-"));
  await cp(folder, copy, { recursive: true });
  const { startVerifier } = (await import(pathToFileURL(join(copy, "verify-proxy.mjs")).href)) as {
    startVerifier: StartVerifier;
  };
  const running = new Map<string, Promise<Started>>();

  return {
    async of(id: string) {
      const starting = running.get(id) ?? startVerifier({ contract: join(copy, `${id}.json`), quiet: true });
      running.set(id, starting);
      const { url, state, doc } = await starting;
      const servers = (doc.servers ?? []).map((server) => new URL(server.url).pathname.replace(/\/$/, ""));
      return {
        /** With and without the path the provider's own address has. */
        baseUrls: [...new Set(["", ...servers])].map((path) => url + path),
        async script(answers: ScriptedAnswer[]): Promise<void> {
          await fetch(`${url}/__verify/reset`, { method: "POST" });
          await fetch(`${url}/__verify/script`, { method: "POST", body: JSON.stringify(answers) });
        },
        /** Whether a scripted answer is being kept back. */
        isKeptWaiting: (): boolean => state.script.length === 0,
        requests: (): SeenRequest[] => state.lines,
        forgetRequests: () => state.lines.splice(0),
      };
    },
    async stop(): Promise<void> {
      await Promise.all([...running.values()].map(async (starting) => await (await starting).close()));
      await rm(copy, { recursive: true, force: true });
    },
  };
}
