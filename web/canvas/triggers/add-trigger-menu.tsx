import { Zap } from "lucide-react";
import type { TriggerKind } from "../../../src/triggers/wire.ts";
import { Menu, MenuItem } from "../../parts/menu.tsx";
import { offeredTriggers } from "./trigger-kinds.ts";

/** What may start the workflow, to choose from. */
export function AddTriggerMenu({ onAdd }: { onAdd: (kind: TriggerKind) => void }) {
  return (
    <div className="absolute top-3 left-3 z-5 rounded-lg border border-line bg-surface">
      <Menu
        label="Add trigger"
        trigger={
          <>
            <Zap className="size-4 text-accent" aria-hidden="true" />
            <span className="text-sm font-medium text-accent">Add trigger</span>
          </>
        }
      >
        {offeredTriggers.map(({ kind, title, words, Icon }) => (
          <MenuItem key={kind} onSelect={() => onAdd(kind)}>
            <Icon className="size-4 text-muted" aria-hidden="true" />
            <span className="grid">
              <span>{title}</span>
              <span className="text-xs text-muted">{words}</span>
            </span>
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
}
