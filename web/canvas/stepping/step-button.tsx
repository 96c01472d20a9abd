import { ChevronDown, Pin, Play, StepForward, Undo2 } from "lucide-react";
import { use } from "react";
import { Button } from "../../parts/button.tsx";
import { Menu, MenuItem } from "../../parts/menu.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { type Stepping, SteppingContext } from "./stepping-context.ts";

/** Runs the node of a panel, with as much around it as is asked for. */
export function StepButton({ nodeId }: { nodeId: string }) {
  const stepping = use(SteppingContext);
  if (!stepping) return null;
  const { step, busyId } = stepping;
  return (
    <div className="flex shrink-0 items-center gap-1">
      <Button
        look="primary"
        className="min-h-8! px-2.5! whitespace-nowrap"
        busy={busyId === nodeId}
        title="Run step (Ctrl+Enter)"
        onClick={() => step(nodeId, "node")}
      >
        <Play className="size-4" aria-hidden="true" />
        Run step
      </Button>
      <MoreWays nodeId={nodeId} step={step} />
    </div>
  );
}

type MoreWaysProps = Pick<Stepping, "step"> & { nodeId: string; side?: "top" | "bottom" };

function MoreWays({ nodeId, step, side = "bottom" }: MoreWaysProps) {
  return (
    <div className="shrink-0">
      <Menu label="More ways to run" side={side} trigger={<ChevronDown className="size-4" aria-hidden="true" />}>
        <MenuItem onSelect={() => step(nodeId, "toHere")}>
          <Undo2 className="size-4" aria-hidden="true" />
          Run to here
        </MenuItem>
        <MenuItem onSelect={() => step(nodeId, "fromHere")}>
          <StepForward className="size-4" aria-hidden="true" />
          Run from here
        </MenuItem>
      </Menu>
    </div>
  );
}

/** The same below tabs, at the thumb of whoever holds a telephone. */
export function StepBar({ nodeId, onStep }: { nodeId: string; onStep: () => void }) {
  const stepping = use(SteppingContext);
  if (!stepping) return null;
  const { step, busyId, pins, outputsOf, pinOutput } = stepping;
  const canPin = !pins.has(nodeId) && outputsOf(nodeId) !== undefined;
  return (
    <div className="flex shrink-0 items-center gap-2 border-t border-line bg-surface px-4 py-3">
      <Button
        look="primary"
        className="min-h-11! flex-1"
        busy={busyId === nodeId}
        onClick={() => {
          step(nodeId, "node");
          onStep();
        }}
      >
        <Play className="size-4" aria-hidden="true" />
        Run step
      </Button>
      <MoreWays nodeId={nodeId} step={step} side="top" />
      {canPin && (
        <Button
          aria-label="Pin this output"
          className="min-h-11! w-11 px-0! text-accent!"
          onClick={() => pinOutput(nodeId)}
        >
          <Pin className="size-4" aria-hidden="true" />
        </Button>
      )}
    </div>
  );
}

/** Why the last step of a node could not be begun. */
export function StepProblem({ nodeId }: { nodeId: string }) {
  const problem = use(SteppingContext)?.problem;
  if (problem?.nodeId !== nodeId) return null;
  return (
    <div className="shrink-0 border-b border-line p-2">
      <ProblemNotice error={problem.error} />
    </div>
  );
}
