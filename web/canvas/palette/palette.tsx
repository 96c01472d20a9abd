import { X } from "lucide-react";
import { useState } from "react";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { PickList } from "../../parts/pick-list.tsx";
import { ToolButton } from "../flow/tool-button.tsx";
import { readRecent } from "./recent-nodes.ts";
import { type PickerEntry, type Section, searchEntries, sections } from "./search-kinds.ts";

export const nodeDragType = "application/x-switchyard-node";

type PaletteProps = {
  entries: readonly PickerEntry[];
  /** Where the node will stand, in words. */
  place: string;
  onPick: (entry: PickerEntry) => void;
  onClose: () => void;
};

/** Everything that can be added, beside the canvas so that nothing of it is covered. */
export function Palette({ entries, place, onPick, onClose }: PaletteProps) {
  const [section, setSection] = useState<Section>();
  const [recent] = useState(readRecent);
  const find = (text: string) => {
    // Who types looks for it everywhere.
    const found = searchEntries(entries, { text, section: text.trim() === "" ? section : undefined, recent });
    return found.length > 0 ? found : [{ title: "Ways out", entries: entries.filter(({ id }) => waysOut.has(id)) }];
  };
  return (
    <section
      aria-label="Add a node"
      className="order-last flex w-100 shrink-0 flex-col border-l border-line bg-surface p-3 max-lg:w-80 max-md:hidden"
    >
      <div className="mb-3 flex items-center justify-between gap-2">
        <h2 className="min-w-0 text-sm font-semibold wrap-anywhere">{place}</h2>
        <ToolButton label="Close the list of nodes" onClick={onClose}>
          <X className="size-4" aria-hidden="true" />
        </ToolButton>
      </div>
      <PickList
        label="Search nodes"
        find={find}
        idOf={({ id }) => id}
        onPick={onPick}
        onEscape={onClose}
        drag={{
          type: nodeDragType,
          idOf: (entry) => ("start" in entry || entry.parameters ? undefined : entry.kind.id),
        }}
        nothing="No node fits. Try another word."
        noteFor={(text) =>
          searchEntries(entries, { text, section: undefined, recent }).length === 0
            ? `No node is called “${text.trim()}”. Any web API can be called with an HTTP request.`
            : undefined
        }
        show={(entry) => <Entry entry={entry} />}
      >
        <SectionChips
          present={new Set(entries.map((entry) => entry.section))}
          chosen={section}
          onChoose={(next) => setSection(next === section ? undefined : next)}
        />
      </PickList>
      <p className="mt-2 border-t border-line pt-2 text-xs text-muted">
        ↑ ↓ choose · Enter add · Esc close · or drag it
      </p>
    </section>
  );
}

const waysOut = new Set(["http_request", "transform"]);

function Entry({ entry }: { entry: PickerEntry }) {
  const { title, origin, description, also, needsAccount } = entry;
  return (
    <>
      {"start" in entry ? (
        <entry.start.Icon className="size-5 shrink-0 text-accent" aria-hidden="true" />
      ) : (
        <NodeIcon nodeId={entry.kind.id} providerId={entry.kind.provider?.id ?? null} />
      )}
      <span className="grid min-w-0 flex-1">
        <span className="truncate">{origin ? `${origin}: ${title}` : title}</span>
        <span className="truncate text-xs text-muted" title={description}>
          {also !== undefined && <span className="text-accent">Also: {also} · </span>}
          {description}
        </span>
      </span>
      {needsAccount && <span className="shrink-0 text-xs text-muted">Needs an account</span>}
    </>
  );
}

type SectionChipsProps = {
  present: ReadonlySet<Section>;
  chosen: Section | undefined;
  onChoose: (section: Section | undefined) => void;
};

function SectionChips({ present, chosen, onChoose }: SectionChipsProps) {
  const names = (Object.keys(sections) as Section[]).filter((name) => present.has(name));
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">Section</legend>
      {[undefined, ...names].map((name) => (
        <button
          key={name ?? "all"}
          type="button"
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
          className="rounded-full bg-hover px-2.5 py-1 text-xs text-muted hover:text-ink aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent-strong"
        >
          {name === undefined ? "All" : sections[name]}
        </button>
      ))}
    </fieldset>
  );
}
