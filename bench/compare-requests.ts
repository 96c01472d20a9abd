import { listRequests, type Request } from "./growth-requests.ts";
import type { Installation } from "./open-installation.ts";
import { listParts, type Parts, startProcessorClock } from "./processor-time.ts";
import { median } from "./report-figure.ts";
import { sendRequests } from "./send-requests.ts";

const rounds = 12;
const roundMs = 50;
/** A request that takes seconds needs no dozen of them to be known as slow. */
const enoughMs = 10_000;

/** How long each request whose name fits takes in a small and in a large installation, and how much processor time of server and database. */
export async function* compareRequests(few: Installation, many: Installation, chosen: RegExp) {
  const [ofFew, ofMany] = [await listRequests(few), await listRequests(many)];
  for (const [name, request] of Object.entries(ofFew).filter(([key]) => chosen.test(key))) {
    const other = ofMany[name];
    if (other === undefined) throw new Error(`There is no ${name}.`);
    yield { name, ...(await compareRequest({ ...few, request }, { ...many, request: other })) };
  }
}

type Asked = Pick<Installation, "server" | "dataDir"> & { request: Request };

/** In turn, so that both meet the same machine. */
async function compareRequest(few: Asked, many: Asked) {
  const measured = [few, many].map((asked) => ({
    ...asked,
    parts: listParts(asked.server.pid, asked.dataDir),
    times: [] as number[],
    microseconds: 0,
  }));
  for (const { request } of measured) await sendFor(request);
  const startedAt = performance.now();
  for (let round = 0; round < rounds && performance.now() - startedAt < enoughMs; round++)
    for (const one of measured) {
      const { latenciesMs, microseconds } = await measure(one.request, one.parts);
      one.times.push(...latenciesMs);
      one.microseconds += microseconds;
    }
  const [ofFew, ofMany] = measured.map(({ times, microseconds }) => ({
    ms: median(times),
    processorMs: microseconds / 1_000 / times.length,
  })) as [Figures, Figures];
  return { few: ofFew, many: ofMany };
}
type Figures = { ms: number; processorMs: number };

async function measure(request: Request, parts: Parts) {
  const clock = startProcessorClock(parts);
  const { latenciesMs } = await sendFor(request);
  const { server, postgres } = clock();
  return { latenciesMs, microseconds: server + postgres };
}

const sendFor = (request: Request) => sendRequests({ ...request, connections: 1, forMs: roundMs });
