import { KeyRound, SquareTerminal } from "lucide-react";
import type { ReactNode } from "react";
import type { VersionEntry } from "../../../src/workflows/wire.ts";
import type { Side } from "../../api/workflows.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { TimeAgo } from "../../parts/time-ago.tsx";
import type { Editor } from "../editor/use-editor.ts";
import { counted } from "../words.ts";
import { countChanges } from "./list-changes.ts";
import { authorInWords, sideInWords } from "./sides.ts";
import { useDraftChanges } from "./use-changes.ts";

type VersionListProps = {
  editor: Editor;
  entries: readonly VersionEntry[];
  chosen: Side;
  onChoose: (side: Side) => void;
  older: ReactNode;
};

/** Newest first, the draft above all. */
export function VersionList({ editor, entries, chosen, onChoose, older }: VersionListProps) {
  const { draft, version } = editor.workflow;
  return (
    <section
      aria-label="Versions"
      className="grid shrink-0 content-start border-line bg-surface max-md:border-b md:w-68 md:overflow-y-auto md:border-r"
    >
      <h2 className="border-b border-line px-4 py-3 text-sm font-semibold">Versions</h2>
      <ol className="grid divide-y divide-line max-md:max-h-60 max-md:overflow-y-auto">
        {draft && (
          <Entry side="draft" isChosen={chosen === "draft"} onChoose={onChoose} at={draft.savedAt} mark="draft">
            <DraftWords editor={editor} />
            <Author createdByKey={draft.savedByKey} createdByName={draft.savedByName} />
          </Entry>
        )}
        {entries.map((entry) => (
          <Entry
            key={entry.version}
            side={entry.version}
            isChosen={chosen === entry.version}
            onChoose={onChoose}
            at={entry.createdAt}
            mark={entry.version === version ? "live" : undefined}
          >
            <span className={`text-xs wrap-anywhere ${entry.note ? "" : "text-muted"}`}>{entry.note || "No note"}</span>
            <Author createdByKey={entry.createdByKey} createdByName={entry.createdByName} />
          </Entry>
        ))}
      </ol>
      {older && <div className="p-3">{older}</div>}
    </section>
  );
}

type EntryProps = {
  side: Side;
  isChosen: boolean;
  onChoose: (side: Side) => void;
  at: string;
  mark: keyof typeof marks | undefined;
  children: ReactNode;
};

function Entry({ side, isChosen, onChoose, at, mark, children }: EntryProps) {
  return (
    <li>
      <button
        type="button"
        aria-current={isChosen || undefined}
        onClick={() => onChoose(side)}
        className="grid w-full gap-1.5 px-4 py-3 text-left -outline-offset-2 hover:bg-hover aria-[current=true]:bg-accent-soft"
      >
        <span className="flex items-center gap-2 text-sm">
          <span className="font-medium">{sideInWords(side)}</span>
          {mark && <span className={`rounded-full px-2 text-xs font-medium ${marks[mark]}`}>{mark}</span>}
          <span className="ml-auto text-xs text-muted">
            <TimeAgo at={at} />
          </span>
        </span>
        {children}
      </button>
    </li>
  );
}

function DraftWords({ editor }: { editor: Editor }) {
  const { changes } = useDraftChanges(editor);
  return <span className="text-xs">{changes ? counted(countChanges(changes), "change") : "Draft"}</span>;
}

type AuthorProps = Pick<VersionEntry, "createdByKey" | "createdByName">;

function Author(author: AuthorProps) {
  const words = authorInWords(author);
  return (
    <span className="flex items-center gap-2 text-xs text-muted">
      {author.createdByName === null ? (
        <SquareTerminal className="size-4 shrink-0" aria-hidden="true" />
      ) : author.createdByKey ? (
        <KeyRound className="size-4 shrink-0" aria-hidden="true" />
      ) : (
        <Avatar name={words} small />
      )}
      <span className="min-w-0 truncate">{words}</span>
    </span>
  );
}

const marks = { draft: "bg-warning-soft text-warning", live: "bg-success-soft text-success" };
