import { Fragment, useRef } from "react";
import { MenuAt, MenuItem, MenuLine } from "../../parts/menu.tsx";
import type { Place } from "../edit/places.ts";
import type { MenuGroups } from "./menu-entries.ts";

type EntryMenuProps = { label: string; at: Place; groups: MenuGroups; onClose: () => void; goBack: () => void };

/** Entries at a place of the screen. */
export function EntryMenu({ label, at, groups, onClose, goBack }: EntryMenuProps) {
  const leads = useRef(false);
  return (
    <MenuAt label={label} at={at} onClose={onClose} goBack={() => !leads.current && goBack()}>
      {groups.map((entries, index) => (
        <Fragment key={entries[0]?.label}>
          {index > 0 && <MenuLine />}
          {entries.map((entry) => (
            <MenuItem
              key={entry.label}
              keys={entry.keys}
              isDanger={entry.isDanger ?? false}
              disabled={entry.isDisabled ?? false}
              onSelect={() => {
                leads.current = entry.leads ?? false;
                entry.act();
              }}
            >
              <entry.Icon className={`size-4 ${entry.isDanger ? "" : "text-muted"}`} aria-hidden="true" />
              {entry.label}
            </MenuItem>
          ))}
        </Fragment>
      ))}
    </MenuAt>
  );
}
