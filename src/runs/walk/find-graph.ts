import { Refusal } from "../../base/refusal.ts";
import { runForAll } from "../../storage/page-work.ts";
import type { Canvas } from "../../workflows/wire.ts";
import type { Workflows } from "../../workflows/workflows.ts";
import { compileGraph, type Graph } from "./graph.ts";

export type FindGraph = ReturnType<typeof createFindGraph>;

const mostKept = 200;

/** The graph of a version of a workflow. Versions never change, so those in use are kept ready. */
export function createFindGraph({ workflows }: { workflows: Pick<Workflows, "versionCanvas"> }) {
  const kept = new Map<string, Promise<Graph>>();

  async function read(organizationId: string, workflowId: string, version: number): Promise<Graph> {
    const text = await workflows.versionCanvas(organizationId, workflowId, version);
    if (text === undefined) throw new Refusal("workflow_not_found", "The workflow of this run is gone.");
    return compileGraph(JSON.parse(text) as Canvas);
  }

  return async (organizationId: string, workflowId: string, version: number): Promise<Graph> => {
    const key = `${organizationId} ${workflowId} ${version}`;
    const known = kept.get(key);
    if (known) return await known;
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value as string);
    const reading = runForAll(() => read(organizationId, workflowId, version));
    kept.set(key, reading);
    reading.catch(() => kept.delete(key));
    return await reading;
  };
}
