import {
  CircleHelp,
  Copy,
  LayoutGrid,
  Map as MapIcon,
  Plus,
  Redo2,
  Search,
  StickyNote,
  Trash2,
  Undo2,
} from "lucide-react";
import type { ReactNode } from "react";
import { ToolButton } from "../flow/tool-button.tsx";
import { ZoomBar } from "../flow/zoom-bar.tsx";
import type { EditCommands } from "./use-editing-keys.ts";
import type { Editor } from "./use-editor.ts";

type CanvasBarProps = {
  editor: Editor;
  commands: EditCommands;
  isNodeSelected: boolean;
  isAnythingSelected: boolean;
  minimap: boolean;
  onMinimap: () => void;
  onAdd: () => void;
  onNote: () => void;
  onSearch: () => void;
  onShortcuts: () => void;
};

/** Below the canvas, so that nothing lies over it. */
export function CanvasBar({ editor, commands, minimap, onMinimap, onAdd, onNote, ...others }: CanvasBarProps) {
  return (
    <div className="@container shrink-0 border-t border-line bg-surface px-3 py-1 in-data-sheet:hidden">
      <div className="flex flex-wrap items-center justify-between gap-x-2">
        <div className="flex items-center gap-0.5 max-md:hidden">
          {!editor.readOnly && (
            <>
              <ToolButton label="Add node" onClick={onAdd} className="text-accent!">
                <Plus className="size-4" aria-hidden="true" />
                Add node
              </ToolButton>
              <Tool
                label="Undo"
                works={editor.canUndo}
                act={commands.undo}
                icon={<Undo2 className="size-4" aria-hidden="true" />}
              />
              <Tool
                label="Redo"
                works={editor.canRedo}
                act={commands.redo}
                icon={<Redo2 className="size-4" aria-hidden="true" />}
              />
              <Tool label="Add note" works act={onNote} icon={<StickyNote className="size-4" aria-hidden="true" />} />
              <Tool
                label="Duplicate"
                works={others.isNodeSelected}
                act={commands.duplicate}
                icon={<Copy className="size-4" aria-hidden="true" />}
              />
              <Tool
                label="Delete"
                works={others.isAnythingSelected}
                act={commands.remove}
                icon={<Trash2 className="size-4" aria-hidden="true" />}
              />
              <Tool
                label="Tidy up"
                works={editor.canvas.nodes.length > 1}
                act={() => void commands.tidyUp()}
                icon={<LayoutGrid className="size-4" aria-hidden="true" />}
              />
            </>
          )}
        </div>
        <div className="flex items-center gap-0.5">
          <ToolButton label="Search the canvas (Ctrl+F)" onClick={others.onSearch}>
            <Search className="size-4" aria-hidden="true" />
            <span className={wideOnly}>Search</span>
          </ToolButton>
          <ToolButton label="Small map" aria-pressed={minimap} onClick={onMinimap} className="max-md:hidden">
            <MapIcon className="size-4" aria-hidden="true" />
            <span className={wideOnly}>Map</span>
          </ToolButton>
          <ZoomBar />
          <ToolButton label="Keys of the canvas" onClick={others.onShortcuts} className="max-md:hidden">
            <CircleHelp className="size-4" aria-hidden="true" />
            <span className={wideOnly}>Keys</span>
          </ToolButton>
        </div>
      </div>
    </div>
  );
}

const wideOnly = "sr-only @4xl:not-sr-only";

function Tool({ label, works, act, icon }: { label: string; works: boolean; act: () => void; icon: ReactNode }) {
  return (
    <ToolButton label={label} aria-disabled={!works} onClick={() => works && act()}>
      {icon}
      <span className={wideOnly}>{label}</span>
    </ToolButton>
  );
}
