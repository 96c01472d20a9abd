import { X } from "lucide-react";
import { useMemo } from "react";
import type { NodeKind } from "../../catalog.ts";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { PickList } from "../../parts/pick-list.tsx";
import { ToolButton } from "../flow/tool-button.tsx";
import { searchKinds } from "./search-kinds.ts";

export const nodeDragType = "application/x-switchyard-node";

type PaletteProps = {
  kinds: ReadonlyMap<string, NodeKind>;
  /** Where the node will stand, in words. */
  place: string;
  onPick: (kind: NodeKind) => void;
  onClose: () => void;
};

/** All nodes there are, beside the canvas so that nothing of it is covered. */
export function Palette({ kinds, place, onPick, onClose }: PaletteProps) {
  const all = useMemo(() => [...kinds.values()], [kinds]);
  return (
    <section
      aria-label="Add a node"
      className="flex w-72 shrink-0 flex-col border-r border-line bg-surface p-3 max-md:hidden"
    >
      <div className="mb-1 flex items-center justify-between gap-2">
        <h2 className="text-sm font-semibold">Add a node</h2>
        <ToolButton label="Close the list of nodes" onClick={onClose}>
          <X className="size-4" aria-hidden="true" />
        </ToolButton>
      </div>
      <p className="mb-3 text-xs text-muted wrap-anywhere">{place}</p>
      <PickList
        label="Search nodes"
        find={(text) => searchKinds(all, text).map(({ title, kinds: entries }) => ({ title, entries }))}
        idOf={(kind) => kind.id}
        onPick={onPick}
        onEscape={onClose}
        dragType={nodeDragType}
        nothing="No node fits. Try another word, or the HTTP request node for any web API."
        show={(kind) => (
          <>
            <NodeIcon nodeId={kind.id} providerId={kind.provider?.id ?? null} />
            <span className="grid min-w-0">
              <span className="truncate">{kind.title}</span>
              <span className="truncate text-xs text-muted" title={kind.description}>
                {kind.description}
              </span>
            </span>
          </>
        )}
      />
    </section>
  );
}
