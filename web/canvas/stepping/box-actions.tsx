import { LoaderCircle, Pin, Play } from "lucide-react";
import { use } from "react";
import { MoreButton } from "../flow/more-button.tsx";
import { SteppingContext } from "./stepping-context.ts";

type BoxActionsProps = { nodeId: string; title: string };

/** On a node: to run it, while the pointer is over it or it is chosen, and the mark of pinned data. */
export function BoxActions({ nodeId, title }: BoxActionsProps) {
  const stepping = use(SteppingContext);
  if (!stepping) return null;
  const isBusy = stepping.busyId === nodeId;
  const Icon = isBusy ? LoaderCircle : Play;
  return (
    <div className="absolute -top-4 right-3 z-10 flex items-center gap-1">
      {stepping.pins.has(nodeId) && (
        <span className="inline-flex h-5 items-center gap-1 rounded-full bg-accent px-2 text-xs font-medium text-on-accent">
          <Pin className="size-3" aria-hidden="true" />
          Pinned
        </span>
      )}
      <button
        type="button"
        tabIndex={-1}
        aria-label={`Run step ${title}`}
        title="Run step (Ctrl+Enter)"
        disabled={stepping.busyId !== undefined}
        onClick={(event) => {
          event.stopPropagation();
          stepping.step(nodeId, "node");
        }}
        className={`nodrag nopan size-6 items-center justify-center rounded-md border border-line bg-surface text-accent hover:border-accent ${isBusy ? "flex" : "hidden group-hover/box:flex group-data-[chosen=true]/box:flex"}`}
      >
        <Icon className={`size-3.5 ${isBusy ? "animate-spin" : ""}`} aria-hidden="true" />
      </button>
      <MoreButton target={{ kind: "box", boxId: nodeId }} title={title} />
    </div>
  );
}
