import { Zap } from "lucide-react";
import { Menu, MenuItem } from "../../parts/menu.tsx";
import { offeredStarts } from "./trigger-kinds.ts";

/** What may start the workflow, to choose from. `onAdd` is told what is to be opened. */
export function AddTriggerMenu({ onAdd }: { onAdd: (panel: string) => void }) {
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
        {offeredStarts.map(({ id, title, words, Icon, panel }) => (
          <MenuItem key={id} onSelect={() => onAdd(panel)}>
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
