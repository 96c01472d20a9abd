import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Power, SquarePen, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { changeTrigger, deleteTrigger, triggersKey } from "../../api/triggers.ts";
import { describeDeletion } from "../../pages/triggers/trigger-list.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import type { Editor } from "../editor/use-editor.ts";
import { cardElementId } from "../triggers/panel-names.ts";
import type { CardPanels } from "../triggers/trigger-cards.tsx";
import { type TriggerCard, useTriggerCards } from "../triggers/use-trigger-cards.ts";
import { EntryMenu } from "./entry-menu.tsx";
import type { MenuGroups } from "./menu-entries.ts";
import type { ShownMenu } from "./use-canvas-menu.ts";

type CardMenuProps = Pick<CardPanels, "onPanel"> & {
  editor: Editor;
  menu: ShownMenu | undefined;
  onClose: () => void;
};

/** The menu of a trigger's card. What is no trigger of its own is only opened. */
export function CardMenu({ editor: { organizationId, workflow }, menu, onPanel, onClose }: CardMenuProps) {
  const queryClient = useQueryClient();
  const cards = useTriggerCards(organizationId, workflow);
  const [deleted, setDeleted] = useState<Trigger>();
  const [notRemoved, setNotRemoved] = useState<string>();
  const refresh = () => queryClient.invalidateQueries({ queryKey: triggersKey(organizationId) });
  const turn = useMutation({
    mutationFn: ({ id, active }: { id: string; active: boolean }) => changeTrigger(organizationId, id, { active }),
    onSettled: refresh,
  });
  const target = menu?.target.kind === "card" ? menu.target : undefined;
  const card = cards.find(({ id }) => id === target?.cardId);
  const entries = card && entriesOf(card, { open: onPanel, turn: turn.mutate, remove: setDeleted });
  return (
    <>
      {menu && card && entries && (
        <EntryMenu
          key={card.id}
          label={`Trigger ${card.title}`}
          at={menu.at}
          groups={entries}
          onClose={onClose}
          goBack={() => document.getElementById(cardElementId(card.id))?.focus()}
        />
      )}
      {deleted && (
        <ConfirmDialog
          title={`Delete “${deleted.name}”?`}
          description={describeDeletion(deleted)}
          confirm="Delete"
          act={async () => {
            setNotRemoved(await deleteTrigger(organizationId, deleted.id));
            onPanel(undefined, false);
            await refresh();
          }}
          onClose={() => setDeleted(undefined)}
        />
      )}
      {turn.isError && (
        <Dialog
          open
          title={turn.variables.active ? "Not turned on" : "Not turned off"}
          onOpenChange={() => turn.reset()}
        >
          <ProblemNotice error={turn.error} />
        </Dialog>
      )}
      {notRemoved !== undefined && (
        <Dialog open title="Deleted here only" onOpenChange={() => setNotRemoved(undefined)}>
          <Notice kind="warning">{notRemoved}</Notice>
        </Dialog>
      )}
    </>
  );
}

type Acts = {
  open: CardPanels["onPanel"];
  turn: (change: { id: string; active: boolean }) => void;
  remove: (trigger: Trigger) => void;
};

function entriesOf({ panel, trigger }: TriggerCard, { open, turn, remove }: Acts): MenuGroups {
  const opening: MenuGroups = [
    [{ label: "Open", Icon: SquarePen, keys: "Enter", act: () => open(panel, true), leads: true }],
  ];
  if (!trigger) return opening;
  const { id, active } = trigger;
  return [
    ...opening,
    [{ label: active ? "Turn off" : "Turn on", Icon: Power, act: () => turn({ id, active: !active }) }],
    [{ label: "Delete", Icon: Trash2, act: () => remove(trigger), isDanger: true, leads: true }],
  ];
}
