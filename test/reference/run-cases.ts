import { compare, findSurplus, type SeenRun } from "./compare.ts";
import { type Case, toCanvas } from "./flow.ts";
import { interpret } from "./interpreter.ts";
import type { TestBed } from "./test-bed.ts";
import { hasEnded } from "./watch-ends.ts";

type CaseContext = Pick<TestBed, "app" | "outside" | "ends"> & { limitMs: number };

const mostTries = 3;

/**
 * Saves the workflows of a case, runs the first, reads back all that happened, and says where it is not what it has to be. A machine that is so busy
 * that the database does not answer in time is refused a start, which says nothing about the graph: it begins anew under another name.
 */
export async function findDifferences(one: Case, name: string, context: CaseContext): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    const differences = await tryCase(one, tries === 1 ? name : `${name}-try${tries}`, context);
    if (tries === mostTries || !differences.some((line) => line.includes("database_unavailable"))) return differences;
  }
}

async function tryCase(
  { payload, flows }: Case,
  name: string,
  { app, outside, ends, limitMs }: CaseContext,
): Promise<string[]> {
  const until = performance.now() + limitMs;
  const { browser } = app.owner;
  const expected = interpret(flows, 0, { prompt: name, payload });

  async function saveAll(): Promise<string> {
    const ids: string[] = [];
    const isCalled = (index: number) =>
      flows
        .slice(0, index)
        .some((flow) => flow.some(({ work }) => work.type === "call_workflow" && work.flow === index));
    for (const index of [...flows.keys()].reverse()) {
      const { nodes, edges } = toCanvas(flows[index] ?? [], ids);
      if (index === 0 || isCalled(index)) ids[index] = await app.save(nodes, edges, name);
    }
    return ids[0] as string;
  }

  async function whenEnded(id: string): Promise<SeenRun> {
    for (;;) {
      await ends.hint(id);
      const body = (await app.readRun(id)).body as unknown as SeenRun;
      if (hasEnded(body.status)) return { ...body, called: await readCalled(id) };
      if (performance.now() > until)
        throw new Error(`${body.trigger.prompt} is still ${body.status} after ${limitMs} ms, ${describeLast()}`);
    }
  }

  /** A run that stands still asks nothing any more. */
  function describeLast(): string {
    const heard = outside.heardAbout(name);
    return `with ${heard.length} requests, the last ${Math.round(performance.now() - (heard.at(-1)?.at ?? 0))} ms ago`;
  }

  async function readCalled(id: string): Promise<SeenRun[]> {
    if (!flows.flat().some(({ work }) => work.type === "call_workflow")) return [];
    const { status, body } = await browser.get(`${app.path}/runs?parentRunId=${id}&limit=200`);
    if (status !== 200) throw new Error(`listing answered ${status}: ${JSON.stringify(body)}`);
    return await Promise.all(body.data.map(({ id: called }: { id: string }) => whenEnded(called)));
  }

  try {
    const workflowId = await saveAll();
    const { status, body } = await browser.post(`${app.path}/workflows/${workflowId}/runs`, { prompt: name, payload });
    if (status !== 202) throw new Error(`starting answered ${status}: ${JSON.stringify(body)}`);
    return compare(expected, await whenEnded(body.id), outside.heardAbout(name));
  } catch (error) {
    return [`${name}: ${(error as Error).message}`, ...findSurplus(expected, outside.heardAbout(name))];
  } finally {
    outside.forget(name);
  }
}
