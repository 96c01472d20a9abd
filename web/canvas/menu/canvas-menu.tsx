import { type RefObject, useState } from "react";
import { noteIdOf } from "../edit/note-edits.ts";
import type { Editor } from "../editor/use-editor.ts";
import { titleOfNote } from "../notes/read-note.ts";
import type { CardPanels } from "../triggers/trigger-cards.tsx";
import { nodeTitle } from "../words.ts";
import { CardMenu } from "./card-menu.tsx";
import { EntryMenu } from "./entry-menu.tsx";
import {
  entriesOfCanvas,
  entriesOfEdge,
  entriesOfNode,
  entriesOfNote,
  entriesOfSeveral,
  type MenuCommands,
  type MenuGroups,
} from "./menu-entries.ts";
import { PinDialog } from "./pin-dialog.tsx";
import type { ShownMenu } from "./use-canvas-menu.ts";

type CanvasMenuProps = Pick<CardPanels, "onPanel"> & {
  editor: Editor;
  menu: ShownMenu | undefined;
  commands: Omit<MenuCommands, "editPinned">;
  frame: RefObject<HTMLDivElement | null>;
  onClose: () => void;
};

/** What can be done with what was pressed, and the questions that follow from it. */
export function CanvasMenu({ editor, menu, commands, frame, onPanel, onClose }: CanvasMenuProps) {
  const [pinnedId, setPinned] = useState<string>();
  const goBack = () => frame.current?.focus();
  const found = menu && describe(menu, editor, { ...commands, editPinned: setPinned });
  return (
    <>
      {menu && found && <EntryMenu key={keyOf(menu)} {...found} at={menu.at} onClose={onClose} goBack={goBack} />}
      <CardMenu editor={editor} menu={menu} onPanel={onPanel} onClose={onClose} />
      {pinnedId !== undefined && (
        <PinDialog
          organizationId={editor.organizationId}
          workflowId={editor.workflow.id}
          nodeId={pinnedId}
          onClose={() => setPinned(undefined)}
        />
      )}
    </>
  );
}

const keyOf = ({ at, target }: ShownMenu): string => `${target.kind} ${at.x} ${at.y}`;

type Described = { label: string; groups: MenuGroups };

function describe({ target, isSeveral }: ShownMenu, editor: Editor, commands: MenuCommands): Described | undefined {
  const { canvas, kinds } = editor;
  if (target.kind === "card") return undefined;
  if (target.kind === "canvas") return { label: "Canvas", groups: entriesOfCanvas(commands) };
  if (target.kind === "edge") return { label: "Connection", groups: entriesOfEdge(commands) };
  if (isSeveral) return { label: "What is selected", groups: entriesOfSeveral(commands) };
  const note = canvas.notes?.find(({ id }) => id === noteIdOf(target.boxId));
  if (note) return { label: `Note ${titleOfNote(note.text)}`, groups: entriesOfNote(commands) };
  const node = canvas.nodes.find(({ id }) => id === target.boxId);
  if (!node) return undefined;
  return { label: `Node ${nodeTitle(node, kinds.get(node.nodeId))}`, groups: entriesOfNode(node, commands) };
}
