import { ChevronDown, Play, StepForward, Undo2 } from "lucide-react";
import { use } from "react";
import { Button } from "../../parts/button.tsx";
import { Menu, MenuItem } from "../../parts/menu.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { SteppingContext } from "./stepping-context.ts";

/** Runs the node of a panel, with as much around it as is asked for. */
export function StepButton({ nodeId }: { nodeId: string }) {
  const stepping = use(SteppingContext);
  if (!stepping) return null;
  const { step, busyId, problem } = stepping;
  return (
    <div className="grid gap-2">
      <div className="flex gap-1">
        <Button
          look="primary"
          className="shrink-0"
          busy={busyId === nodeId}
          title="Ctrl+Enter"
          onClick={() => step(nodeId, "node")}
        >
          <Play className="size-4" aria-hidden="true" />
          Run step
        </Button>
        <div className="shrink-0">
          <Menu label="More ways to run" trigger={<ChevronDown className="size-4" aria-hidden="true" />}>
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
      </div>
      {problem?.nodeId === nodeId && <ProblemNotice error={problem.error} />}
    </div>
  );
}
