import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleSlash,
  CircleX,
  Clock,
  Hourglass,
  RotateCw,
  TimerOff,
  Unplug,
} from "lucide-react";
import type { z } from "zod";
import type { CallStatus } from "../../src/history/wire.ts";
import type { nodeStatus, runStatus } from "../../src/runs/wire.ts";

export type AnyStatus = CallStatus | z.infer<typeof runStatus> | z.infer<typeof nodeStatus>;

/** How a run, a node or a call stands: in words, with a sign and a colour that say the same. */
export function Status({ status, compact = false }: { status: AnyStatus; compact?: boolean }) {
  const { word, Icon, look } = statusLooks[status];
  return (
    <span className={`inline-flex shrink-0 items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium ${look}`}>
      <Icon
        className={`size-3.5 shrink-0 ${status === "running" ? "motion-safe:animate-pulse" : ""}`}
        aria-hidden="true"
      />
      <span className={compact ? "sr-only" : undefined}>{word}</span>
    </span>
  );
}

const good = "bg-success-soft text-success";
const bad = "bg-danger-soft text-danger";
const careful = "bg-warning-soft text-warning";
const busy = "bg-accent-soft text-accent";
const calm = "bg-hover text-muted";

export const statusLooks = {
  pending: { word: "Queued", Icon: CircleDashed, look: calm },
  running: { word: "Running", Icon: CircleDot, look: busy },
  retrying: { word: "Retrying", Icon: RotateCw, look: careful },
  waiting: { word: "Waiting", Icon: Hourglass, look: careful },
  succeeded: { word: "Succeeded", Icon: CircleCheck, look: good },
  success: { word: "Succeeded", Icon: CircleCheck, look: good },
  failed: { word: "Failed", Icon: CircleX, look: bad },
  timed_out: { word: "Timed out", Icon: TimerOff, look: bad },
  interrupted: { word: "Interrupted", Icon: Unplug, look: bad },
  refused: { word: "Refused", Icon: Ban, look: careful },
  cancelled: { word: "Cancelled", Icon: CircleSlash, look: calm },
  skipped: { word: "Skipped", Icon: Clock, look: calm },
} satisfies Record<AnyStatus, unknown>;
