import { Search } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { controlLook } from "./field.tsx";
import { type KeyTable, pressKey } from "./key-of.ts";

/** Without a title where there is nothing to tell the entries apart by. */
export type PickGroup<Entry> = { title?: string; entries: Entry[]; count?: string | undefined };

type PickListProps<Entry> = {
  label: string;
  /** What to type, where the label does not say it. */
  placeholder?: string;
  /** What fits the text. */
  find: (text: string) => PickGroup<Entry>[];
  /** Told of the text, where what fits has to be got from elsewhere. */
  onText?: (text: string) => void;
  idOf: (entry: Entry) => string;
  show: (entry: Entry) => ReactNode;
  onPick: (entry: Entry) => void;
  onEscape?: () => void;
  /** Tab, with the chosen entry; without it Tab leaves the field as usual. */
  onTab?: (entry: Entry) => void;
  /** Lets entries be dragged, under this type, with their id; those that have one. */
  drag?: { type: string; idOf: (entry: Entry) => string | undefined };
  nothing: string;
  /** What to say about a text although there are entries. */
  noteFor?: (text: string) => string | undefined;
  /** Between the search field and the list. */
  children?: ReactNode;
};

/** A search field over a list in groups: arrows choose while one types, Enter takes. */
export function PickList<Entry>({
  label,
  placeholder = label,
  find,
  onText,
  idOf,
  show,
  onPick,
  onEscape,
  onTab,
  drag,
  nothing,
  noteFor,
  children,
}: PickListProps<Entry>) {
  const id = useId();
  const [text, setText] = useState("");
  // By its id: entries that come later must not change what Enter takes.
  const [chosen, setChosen] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const groups = find(text);
  const entries = groups.flatMap((group) => group.entries);
  const active = Math.max(0, chosen === undefined ? 0 : entries.findIndex((entry) => idOf(entry) === chosen));
  const activeEntry = entries[active];
  const choose = (place: number) => entries[place] !== undefined && setChosen(idOf(entries[place]));
  const note = entries.length === 0 ? nothing : noteFor?.(text);
  const optionId = (entry: Entry | undefined) => entry && `${id}-${idOf(entry)}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is chosen by the keyboard has to be seen.
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active, text]);

  const keys: KeyTable = {
    arrowdown: () => choose(Math.min(active + 1, entries.length - 1)),
    arrowup: () => choose(Math.max(active - 1, 0)),
    enter: () => activeEntry !== undefined && onPick(activeEntry),
    escape: onEscape,
    tab: onTab && activeEntry !== undefined ? () => onTab(activeEntry) : undefined,
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3">
      <SearchInput
        label={label}
        placeholder={placeholder}
        listId={id}
        activeId={optionId(activeEntry)}
        text={text}
        keys={keys}
        onText={(typed) => {
          setText(typed);
          onText?.(typed);
          setChosen(undefined);
        }}
      />
      {children}
      <p role="status" className={note === undefined ? "sr-only" : "px-2 text-sm text-muted"}>
        {note ?? `${entries.length} found`}
      </p>
      <div id={id} ref={list} role="listbox" aria-label={label} className="min-h-0 flex-1 overflow-y-auto">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls of a form, these are options of a list.
          <div key={group.title ?? ""} role="group" aria-label={group.title ?? label} className="mb-3">
            <GroupTitle group={group} />
            {group.entries.map((entry) => (
              <PickOption
                key={idOf(entry)}
                id={optionId(entry)}
                isActive={entry === activeEntry}
                onPick={() => onPick(entry)}
                drag={dragOf(drag, entry)}
              >
                {show(entry)}
              </PickOption>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function dragOf<Entry>(drag: PickListProps<Entry>["drag"], entry: Entry): PickOptionProps["drag"] {
  const value = drag?.idOf(entry);
  return drag && value !== undefined ? { type: drag.type, value } : undefined;
}

type SearchInputProps = {
  label: string;
  placeholder: string;
  listId: string;
  activeId: string | undefined;
  text: string;
  keys: KeyTable;
  onText: (text: string) => void;
};

function SearchInput({ label, placeholder, listId, activeId, text, keys, onText }: SearchInputProps) {
  return (
    <div className="relative shrink-0">
      <Search className="pointer-events-none absolute top-3 left-3 size-4 text-muted" aria-hidden="true" />
      <input
        type="search"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={activeId}
        aria-autocomplete="list"
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: it was opened to be typed into.
        autoFocus
        placeholder={placeholder}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => pressKey(event, keys)}
        className={`${controlLook} pl-9`}
      />
    </div>
  );
}

function GroupTitle({ group: { title, count } }: { group: PickGroup<unknown> }) {
  if (title === undefined) return null;
  return (
    <p aria-hidden="true" className="flex justify-between px-2 py-1 text-xs font-medium text-muted">
      {title}
      <span className="font-normal">{count}</span>
    </p>
  );
}

type PickOptionProps = {
  id: string | undefined;
  isActive: boolean;
  onPick: () => void;
  drag: { type: string; value: string } | undefined;
  children: ReactNode;
};

function PickOption({ id, isActive, onPick, drag, children }: PickOptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the search field, which names the chosen option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the search field does the same.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      draggable={drag !== undefined}
      onDragStart={drag && ((event) => event.dataTransfer.setData(drag.type, drag.value))}
      onClick={onPick}
      className="flex cursor-pointer items-center gap-3 rounded-md px-2 py-1.5 text-sm hover:bg-hover aria-selected:bg-accent-soft"
    >
      {children}
    </div>
  );
}
