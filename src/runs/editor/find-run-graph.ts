import { Refusal } from "../../base/refusal.ts";
import type { Database } from "../../storage/database.ts";
import type { Canvas } from "../../workflows/wire.ts";
import type { RunPlace } from "../store.ts";
import type { FindGraph } from "../walk/find-graph.ts";
import { compileGraph, type Graph } from "../walk/graph.ts";
import { findOwnCanvas } from "./editor-store.ts";

type Options = { db: Database; findGraph: FindGraph };
type FollowingRun = RunPlace & { workflowId: string; workflowVersion: number };

/** The graph that a run follows: that of its version, or of the canvas that it has to itself. */
export const createFindRunGraph =
  ({ db, findGraph }: Options) =>
  async ({ organizationId, id, workflowId, workflowVersion }: FollowingRun): Promise<Graph> => {
    if (workflowVersion > 0) return await findGraph(organizationId, workflowId, workflowVersion);
    const canvas = await findOwnCanvas(db, { organizationId, id });
    if (canvas === null) throw new Refusal("workflow_not_found", "The canvas of this run is gone.");
    return compileGraph(JSON.parse(canvas) as Canvas);
  };
