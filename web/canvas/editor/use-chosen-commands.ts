import { use } from "react";
import type { CanvasNode } from "../../../src/workflows/wire.ts";
import { changeNode } from "../../node-form/panel/change-node.ts";
import type { Selection } from "../flow/selection.ts";
import { type StepMode, SteppingContext } from "../stepping/stepping-context.ts";
import type { Editor } from "./use-editor.ts";

type Options = {
  editor: Editor;
  getSelection: () => Selection;
  /** Asks for the data of a run of everything. */
  onRun: () => void;
  /** Opens a node at one of its fields. */
  onField: (nodeId: string, pointer: string) => void;
};

export type ChosenCommands = ReturnType<typeof useChosenCommands>;

/** What can be done with the node that is chosen alone, for the keys and the menu alike. */
export function useChosenCommands({ editor, getSelection, onRun, onField }: Options) {
  const stepping = use(SteppingContext);

  function find(): CanvasNode | undefined {
    const [nodeId, ...others] = getSelection().nodeIds;
    return others.length === 0 ? editor.canvas.nodes.find(({ id }) => id === nodeId) : undefined;
  }
  /** Without one node alone, everything is run. */
  const start = (mode: StepMode) => () => {
    const node = find();
    if (stepping && node) stepping.step(node.id, mode);
    else onRun();
  };
  const leadTo = (pointer: string) => () => {
    const node = find();
    if (node) onField(node.id, pointer);
  };
  return {
    find,
    run: start("node"),
    runToHere: start("toHere"),
    runFromHere: start("fromHere"),
    rename: leadTo("/name"),
    writeNote: leadTo("/note"),
    turnOff: () => {
      const node = find();
      if (!node) return;
      const { disabled, ...others } = node.settings ?? {};
      editor.changeNode(changeNode(node, "settings", disabled ? others : { ...others, disabled: true }));
    },
    isPinned: (nodeId: string) => stepping?.pins.has(nodeId) ?? false,
    canPin: (nodeId: string) => stepping?.outputsOf(nodeId) !== undefined,
    /** Pins what came out of it, or takes away what is pinned. */
    pin: () => {
      const node = find();
      if (!node || !stepping) return;
      if (stepping.pins.has(node.id)) stepping.unpinOutput(node.id);
      else stepping.pinOutput(node.id);
    },
  };
}
