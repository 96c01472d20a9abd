import type { Span } from "../../base/tracing.ts";
import type { Sql } from "../../storage/database.ts";
import type { TriggerData } from "../../workflows/engine-node.ts";
import type { NodeOverride } from "../../workflows/wire.ts";

/** A file that came with what started a run, or that one of its nodes gave. */
export type RunFile = { name: string | null; type: string; contentBase64: string };

export type RunKind = PublishedKind | EditorKind;

type PublishedKind = "manual" | "api" | "schedule" | "webhook" | "poll" | "workflow" | "tool" | "error";

/** Of the whole draft, or of a part of it. */
export type EditorKind = "editor" | "step";

/** Whether a run follows a canvas of its own, in the place of a version of its workflow. */
export const isOfEditor = (kind: RunKind): kind is EditorKind => kind === "editor" || kind === "step";

/** A request for a run. It is refused before anything is stored when the workflow, an override or a credential does not fit. */
export type RunRequest = {
  /** Chosen beforehand where the data of the run names it. */
  id?: string;
  /** What came with it; the data of the run has their handles. */
  files?: RunFile[];
  organizationId: string;
  workflowId: string;
  kind: RunKind;
  trigger: TriggerData;
  overrides?: NodeOverride[];
  /** A trigger that must be on at the moment the run is stored; otherwise `trigger_off`. */
  triggerId?: string;
  /** Whether it may be off, because somebody tries it out. */
  evenIfOff?: boolean;
  apiKey?: { id: string; name: string };
  user?: { id: string; name: string };
  oauthClient?: { id: string; name: string };
  requestId?: string;
  /** What starts it; the run belongs to the same trace. */
  trace: Span;
  /** The same key and request give the same run, for 24 hours; the same key with another request is `idempotency_key_reused`. */
  once?: { key: string; requestSha256: Buffer };
  /** What is stored together with the run, or not at all. Where it refuses, there is no run. */
  alsoInsert?: (sql: Sql) => Promise<void>;
  /** The run that waits for this one, and how many are above it. */
  parent?: { runId: string; depth: number };
};
