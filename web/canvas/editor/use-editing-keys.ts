import { useReactFlow } from "@xyflow/react";
import type { Canvas } from "../../../src/workflows/wire.ts";
import { copyText } from "../../parts/copy-text.ts";
import type { KeyTable } from "../../parts/key-of.ts";
import { clipNodes } from "../edit/copy-nodes.ts";
import type { Positions } from "../edit/places.ts";
import { writeClip } from "../edit/read-clip.ts";
import type { Box, Line } from "../flow/flow-data.ts";
import type { Selection } from "../flow/selection.ts";
import { useFitAll } from "../flow/use-fit-all.ts";
import type { useGo } from "../flow/use-go.ts";
import { findCarried, shiftAll } from "../notes/find-carried.ts";
import { withinSizes } from "../notes/note-sizes.ts";
import { placeNodes } from "../place-nodes.ts";
import type { ChosenCommands } from "./use-chosen-commands.ts";
import type { Editor } from "./use-editor.ts";

export type EditCommands = ReturnType<typeof useEditCommands>;

/** What can be done to the canvas and to what is chosen on it, for the keys and the buttons alike. */
export function useEditCommands({ canvas, kinds, edit }: Editor, getSelection: () => Selection) {
  const flow = useReactFlow<Box, Line>();
  const fitAll = useFitAll();

  /** `carrying`: notes take along what lies fully on them. */
  function shift(dx: number, dy: number, carrying = false): void {
    const boxes = flow.getNodes();
    const chosen = boxes.filter(({ selected }) => selected);
    const own: Positions = Object.fromEntries(chosen.map(({ id, position }) => [id, position]));
    const carried = carrying ? findCarried(boxes, Object.keys(own)) : {};
    edit({ type: "move", positions: shiftAll({ ...own, ...carried }, dx, dy) });
  }

  function clipSelection(): Canvas {
    const { nodeIds, noteIds } = getSelection();
    return clipNodes(canvas, nodeIds, noteIds);
  }

  function resize(dx: number, dy: number): void {
    const note = canvas.notes?.find(({ id }) => id === getSelection().noteIds[0]);
    if (note)
      edit({
        type: "changeNote",
        note: { ...note, ...withinSizes(note.width + dx, note.height + dy) },
        atMs: Date.now(),
      });
  }

  return {
    resize,
    undo: () => edit({ type: "undo" }),
    redo: () => edit({ type: "redo" }),
    remove: () => edit({ type: "remove", ...getSelection() }),
    duplicate: () => edit({ type: "paste", clip: clipSelection() }),
    copy: () => void copyText(writeClip(clipSelection())),
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

type Opener = "palette" | "connect" | "shortcuts" | "minimap" | "note" | "menu";
type Openers = Record<Opener, () => void>;

type Commands = EditCommands & ReturnType<typeof useGo> & ChosenCommands;

export function editingKeys(commands: Commands, open: Openers): KeyTable {
  return {
    ...movingKeys(commands),
    s: open.note,
    g: commands.goToNote,
    contextmenu: open.menu,
    "shift+f10": open.menu,
    f2: commands.rename,
    i: commands.writeNote,
    d: commands.turnOff,
    p: commands.pin,
    "ctrl+shift+enter": commands.runFromHere,
    n: open.palette,
    // With nothing selected, Tab leaves the canvas as it leaves everything else.
    tab: commands.hasSelection() ? open.palette : undefined,
    c: open.connect,
    e: commands.goToEdge,
    m: open.minimap,
    "?": open.shortcuts,
    "ctrl+enter": commands.run,
    "shift+enter": commands.runToHere,
    delete: commands.remove,
    backspace: commands.remove,
    "ctrl+z": commands.undo,
    "ctrl+shift+z": commands.redo,
    "ctrl+y": commands.redo,
    "ctrl+d": commands.duplicate,
    "ctrl+a": commands.selectAll,
    t: () => void commands.tidyUp(),
  };
}

function movingKeys(commands: Commands): KeyTable {
  return {
    "ctrl+arrowleft": () => commands.go("left", true),
    "ctrl+arrowright": () => commands.go("right", true),
    "ctrl+arrowup": () => commands.go("up", true),
    "ctrl+arrowdown": () => commands.go("down", true),
    "shift+arrowleft": () => commands.shift(-step, 0),
    "shift+arrowright": () => commands.shift(step, 0),
    "shift+arrowup": () => commands.shift(0, -step),
    "shift+arrowdown": () => commands.shift(0, step),
    "alt+shift+arrowleft": () => commands.shift(-step, 0, true),
    "alt+shift+arrowright": () => commands.shift(step, 0, true),
    "alt+shift+arrowup": () => commands.shift(0, -step, true),
    "alt+shift+arrowdown": () => commands.shift(0, step, true),
    "alt+arrowleft": () => commands.resize(-step, 0),
    "alt+arrowright": () => commands.resize(step, 0),
    "alt+arrowup": () => commands.resize(0, -step),
    "alt+arrowdown": () => commands.resize(0, step),
  };
}
