import { Dialog } from "../../parts/dialog.tsx";

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Keys of the canvas"
      description="They work while the canvas has the focus. Ctrl + F and F6 work everywhere in the editor, and / wherever you do not type."
    >
      <dl className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-x-4 gap-y-2 text-sm">
        {shortcuts.map(([what, ...keys]) => (
          <div key={what} className="contents">
            <dt className="text-muted">{what}</dt>
            <dd className="flex flex-wrap items-start justify-end gap-1">
              {keys.map((key) => (
                <kbd key={key} className="rounded border border-line bg-page px-1.5 py-0.5 font-sans text-xs">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const shortcuts = [
  ["Add a node, after or on what is selected", "/", "N", "Tab"],
  ["Go from node to node", "Arrow keys"],
  ["Open the selected node", "Enter"],
  ["Connect the selected node", "C"],
  ["Move what is selected", "Shift + Arrow keys"],
  ["Select a connection of the selected node", "E"],
  ["Select more", "Ctrl + Arrow keys", "Shift + press", "Shift + drag"],
  ["Select everything", "Ctrl + A"],
  ["Copy, cut, paste", "Ctrl + C", "Ctrl + X", "Ctrl + V"],
  ["Duplicate", "Ctrl + D"],
  ["Delete", "Delete"],
  ["Rename the selected node, write its note", "F2", "I"],
  ["Turn the selected node off or on", "D"],
  ["Pin its output, or unpin it", "P"],
  ["Everything for what is selected", "Shift + F10"],
  ["Add a note, go from note to note", "S", "G"],
  ["Resize the selected note", "Alt + Arrow keys"],
  ["Move it with what lies on it", "Alt + drag", "Alt + Shift + Arrow keys"],
  ["Search the canvas", "Ctrl + F"],
  ["Undo, redo", "Ctrl + Z", "Ctrl + Shift + Z"],
  ["Tidy up", "T"],
  ["Run the selected node, or everything", "Ctrl + Enter"],
  ["Run to the selected node, from it", "Shift + Enter", "Ctrl + Shift + Enter"],
  ["Go to the panes of the open node and back", "F6"],
  ["Zoom in, out, show everything", "+", "-", "0"],
  ["Small map on or off", "M"],
  ["Close what is open, select nothing", "Escape"],
  ["Leave the canvas", "Escape, then Tab"],
  ["This list", "?"],
] as const;
