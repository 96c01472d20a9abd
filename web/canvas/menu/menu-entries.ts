import {
  Copy,
  CopyPlus,
  LayoutGrid,
  type LucideIcon,
  Maximize,
  Pencil,
  Pin,
  PinOff,
  Play,
  Plus,
  Power,
  Search,
  SquareDashedMousePointer,
  SquarePen,
  StepForward,
  StickyNote,
  Trash2,
  Undo2,
} from "lucide-react";
import type { CanvasNode } from "../../../src/workflows/wire.ts";
import type { ChosenCommands } from "../editor/use-chosen-commands.ts";
import type { EditCommands } from "../editor/use-editing-keys.ts";

type MenuEntry = {
  label: string;
  Icon: LucideIcon;
  /** The keys that do the same on the canvas. */
  keys?: string;
  act: () => void;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** The focus goes on from there, not back to the canvas. */
  leads?: boolean;
};

/** Groups with a line between them: first what runs, then data, then edits, and what destroys at the end. */
export type MenuGroups = MenuEntry[][];

export type MenuCommands = EditCommands &
  ChosenCommands & {
    addNode: () => void;
    addNote: () => void;
    editNote: () => void;
    editPinned: (nodeId: string) => void;
    search: () => void;
    fitAll: () => void;
  };

export function entriesOfNode(node: CanvasNode, commands: MenuCommands): MenuGroups {
  const isOff = node.settings?.disabled === true;
  return [
    [
      { label: "Run this step", Icon: Play, keys: "Ctrl Enter", act: commands.run },
      { label: "Run to here", Icon: Undo2, keys: "Shift Enter", act: commands.runToHere },
      { label: "Run from here", Icon: StepForward, keys: "Ctrl Shift Enter", act: commands.runFromHere },
    ],
    pinEntries(node, commands),
    [
      ...copyEntries(commands),
      { label: "Rename", Icon: Pencil, keys: "F2", act: commands.rename, leads: true },
      { label: isOff ? "Turn on" : "Turn off", Icon: Power, keys: "D", act: commands.turnOff },
      {
        label: node.note ? "Edit its note" : "Note on this node",
        Icon: StickyNote,
        keys: "I",
        act: commands.writeNote,
        leads: true,
      },
    ],
    [removeEntry(commands)],
  ];
}

function pinEntries({ id }: CanvasNode, commands: MenuCommands): MenuEntry[] {
  if (!commands.isPinned(id))
    return [{ label: "Pin its output", Icon: Pin, keys: "P", act: commands.pin, isDisabled: !commands.canPin(id) }];
  return [
    { label: "Unpin its output", Icon: PinOff, keys: "P", act: commands.pin },
    { label: "Edit pinned data", Icon: SquarePen, act: () => commands.editPinned(id), leads: true },
  ];
}

export const entriesOfNote = (commands: MenuCommands): MenuGroups => [
  [{ label: "Edit the text", Icon: Pencil, keys: "Enter", act: commands.editNote, leads: true }],
  copyEntries(commands),
  [removeEntry(commands)],
];

export const entriesOfSeveral = (commands: MenuCommands): MenuGroups => [
  copyEntries(commands),
  [removeEntry(commands)],
];

export const entriesOfEdge = (commands: MenuCommands): MenuGroups => [
  [{ label: "Add a node here", Icon: Plus, keys: "N", act: commands.addNode, leads: true }],
  [removeEntry(commands)],
];

export const entriesOfCanvas = (commands: MenuCommands): MenuGroups => [
  [{ label: "Run everything", Icon: Play, keys: "Ctrl Enter", act: commands.run, leads: true }],
  [
    { label: "Add a node", Icon: Plus, keys: "N", act: commands.addNode, leads: true },
    { label: "Add a note", Icon: StickyNote, keys: "S", act: commands.addNote, leads: true },
    { label: "Select everything", Icon: SquareDashedMousePointer, keys: "Ctrl A", act: commands.selectAll },
    { label: "Search", Icon: Search, keys: "Ctrl F", act: commands.search, leads: true },
  ],
  [
    { label: "Tidy up", Icon: LayoutGrid, keys: "T", act: () => void commands.tidyUp() },
    { label: "Fit everything", Icon: Maximize, keys: "0", act: commands.fitAll },
  ],
];

const copyEntries = (commands: MenuCommands): MenuEntry[] => [
  { label: "Copy", Icon: Copy, keys: "Ctrl C", act: commands.copy },
  { label: "Duplicate", Icon: CopyPlus, keys: "Ctrl D", act: commands.duplicate },
];

const removeEntry = (commands: MenuCommands): MenuEntry => ({
  label: "Delete",
  Icon: Trash2,
  keys: "Del",
  act: commands.remove,
  isDanger: true,
});
