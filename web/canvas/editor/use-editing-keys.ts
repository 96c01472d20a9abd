import { useReactFlow } from "@xyflow/react";
import type { KeyTable } from "../../parts/key-of.ts";
import { clipNodes } from "../edit/copy-nodes.ts";
import type { Positions } from "../edit/places.ts";
import type { Box, Line } from "../flow/flow-data.ts";
import type { Selection } from "../flow/flow-surface.tsx";
import { useFitAll } from "../flow/use-fit-all.ts";
import type { useGo } from "../flow/use-go.ts";
import { placeNodes } from "../place-nodes.ts";
import type { Editor } from "./use-editor.ts";

export type EditCommands = ReturnType<typeof useEditCommands>;

/** What can be done to the canvas and to what is chosen on it, for the keys and the buttons alike. */
export function useEditCommands({ canvas, kinds, edit }: Editor, getSelection: () => Selection) {
  const flow = useReactFlow<Box, Line>();
  const fitAll = useFitAll();

  function shift(dx: number, dy: number): void {
    const { nodeIds } = getSelection();
    const chosen = canvas.nodes.filter(({ id }) => nodeIds.includes(id));
    const positions: Positions = {};
    for (const { id, position = { x: 0, y: 0 } } of chosen) positions[id] = { x: position.x + dx, y: position.y + dy };
    edit({ type: "move", positions });
  }

  return {
    undo: () => edit({ type: "undo" }),
    redo: () => edit({ type: "redo" }),
    remove: () => edit({ type: "remove", ...getSelection() }),
    duplicate: () => edit({ type: "paste", clip: clipNodes(canvas, getSelection().nodeIds) }),
    shift,
    hasSelection: () => Object.values(getSelection()).some(({ length }) => length > 0),
    selectAll: () => flow.setNodes((boxes) => boxes.map((box) => (box.selected ? box : { ...box, selected: true }))),
    tidyUp: async () => {
      edit({ type: "move", positions: await placeNodes(canvas, kinds) });
      requestAnimationFrame(fitAll);
    },
  };
}

const step = 20;

type Openers = Record<"palette" | "connect" | "shortcuts" | "run" | "runToHere" | "minimap", () => void>;

export function editingKeys(commands: EditCommands & ReturnType<typeof useGo>, open: Openers): KeyTable {
  return {
    n: open.palette,
    "/": open.palette,
    // With nothing selected, Tab leaves the canvas as it leaves everything else.
    tab: commands.hasSelection() ? open.palette : undefined,
    c: open.connect,
    e: commands.goToEdge,
    m: open.minimap,
    "?": open.shortcuts,
    "ctrl+enter": open.run,
    "shift+enter": open.runToHere,
    delete: commands.remove,
    backspace: commands.remove,
    "ctrl+z": commands.undo,
    "ctrl+shift+z": commands.redo,
    "ctrl+y": commands.redo,
    "ctrl+d": commands.duplicate,
    "ctrl+a": commands.selectAll,
    t: () => void commands.tidyUp(),
    "ctrl+arrowleft": () => commands.go("left", true),
    "ctrl+arrowright": () => commands.go("right", true),
    "ctrl+arrowup": () => commands.go("up", true),
    "ctrl+arrowdown": () => commands.go("down", true),
    "shift+arrowleft": () => commands.shift(-step, 0),
    "shift+arrowright": () => commands.shift(step, 0),
    "shift+arrowup": () => commands.shift(0, -step),
    "shift+arrowdown": () => commands.shift(0, step),
  };
}
