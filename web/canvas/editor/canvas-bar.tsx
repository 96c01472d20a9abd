import {
  CircleHelp,
  Copy,
  LayoutGrid,
  type LucideIcon,
  Map as MapIcon,
  Plus,
  Redo2,
  Search,
  StickyNote,
  Trash2,
  Undo2,
} from "lucide-react";
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
export function CanvasBar(props: CanvasBarProps) {
  const { editor, minimap, onMinimap, onAdd, onSearch, onShortcuts } = props;
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
              <EditTools {...props} />
            </>
          )}
        </div>
        <div className="flex items-center gap-0.5">
          <ToolButton label="Search the canvas (Ctrl+F)" onClick={onSearch}>
            <Search className="size-4" aria-hidden="true" />
            <span className={wideOnly}>Search</span>
          </ToolButton>
          <ToolButton label="Small map" aria-pressed={minimap} onClick={onMinimap} className="max-md:hidden">
            <MapIcon className="size-4" aria-hidden="true" />
            <span className={wideOnly}>Map</span>
          </ToolButton>
          <ZoomBar />
          <ToolButton label="Keys of the canvas" onClick={onShortcuts} className="max-md:hidden">
            <CircleHelp className="size-4" aria-hidden="true" />
            <span className={wideOnly}>Keys</span>
          </ToolButton>
        </div>
      </div>
    </div>
  );
}

type EditToolsProps = Pick<CanvasBarProps, "editor" | "commands" | "isNodeSelected" | "isAnythingSelected" | "onNote">;

function EditTools({ editor, commands, isNodeSelected, isAnythingSelected, onNote }: EditToolsProps) {
  return (
    <>
      <Tool label="Undo" works={editor.canUndo} act={commands.undo} Icon={Undo2} />
      <Tool label="Redo" works={editor.canRedo} act={commands.redo} Icon={Redo2} />
      <Tool label="Add note" works act={onNote} Icon={StickyNote} />
      <Tool label="Duplicate" works={isNodeSelected} act={commands.duplicate} Icon={Copy} />
      <Tool label="Delete" works={isAnythingSelected} act={commands.remove} Icon={Trash2} />
      <Tool
        label="Tidy up"
        works={editor.canvas.nodes.length > 1}
        act={() => void commands.tidyUp()}
        Icon={LayoutGrid}
      />
    </>
  );
}

const wideOnly = "sr-only @4xl:not-sr-only";

type ToolProps = { label: string; works: boolean; act: () => void; Icon: LucideIcon };

function Tool({ label, works, act, Icon }: ToolProps) {
  return (
    <ToolButton label={label} aria-disabled={!works} onClick={() => works && act()}>
      <Icon className="size-4" aria-hidden="true" />
      <span className={wideOnly}>{label}</span>
    </ToolButton>
  );
}
