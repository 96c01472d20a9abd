import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Editor } from "../editor/use-editor.ts";
import { ToolButton } from "../flow/tool-button.tsx";
import { findOnCanvas, type Hit } from "./find-on-canvas.ts";

type CanvasSearchProps = {
  editor: Pick<Editor, "canvas" | "kinds">;
  goTo: (boxId: string) => void;
  /** Raised whenever somebody asks for the search. */
  timesAsked: number;
  onClose: () => void;
};

/** Finds nodes and notes on the canvas and goes through them. */
export function CanvasSearch({ editor: { canvas, kinds }, goTo, timesAsked, onClose }: CanvasSearchProps) {
  const [text, setText] = useState("");
  /** Which hit one is at; none before Enter was pressed. */
  const [index, setIndex] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for again, one goes there again.
  useEffect(() => field.current?.focus(), [timesAsked]);
  const hits = findOnCanvas(canvas, kinds, text);
  const at = hits[index];

  function go(step: 1 | -1): void {
    if (hits.length === 0) return;
    const next = index < 0 ? (step > 0 ? 0 : hits.length - 1) : (index + step + hits.length) % hits.length;
    setIndex(next);
    goTo(hits[next]?.boxId ?? "");
  }

  return (
    <search
      onKeyDown={(event) => event.key === "Escape" && onClose()}
      className="absolute top-3 right-3 z-5 flex max-w-[calc(100%-1.5rem)] items-center gap-1 rounded-lg border border-line bg-raised p-1 shadow-lg"
    >
      <Search className="ml-2 size-4 shrink-0 text-muted" aria-hidden="true" />
      <input
        ref={field}
        type="text"
        aria-label="Search the canvas"
        autoComplete="off"
        placeholder="Name, kind, note or text"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setIndex(-1);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
        }}
        className="min-h-8 w-52 min-w-0 bg-transparent px-2 text-sm text-ink outline-none placeholder:text-muted"
      />
      <p role="status" className="max-w-40 truncate px-1 text-xs whitespace-nowrap text-muted">
        {describe(text, hits, at && index)}
      </p>
      <ToolButton label="Previous hit (Shift+Enter)" aria-disabled={hits.length === 0} onClick={() => go(-1)}>
        <ChevronUp className="size-4" aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Next hit (Enter)" aria-disabled={hits.length === 0} onClick={() => go(1)}>
        <ChevronDown className="size-4" aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Close the search" onClick={onClose}>
        <X className="size-4" aria-hidden="true" />
      </ToolButton>
    </search>
  );
}

function describe(text: string, hits: readonly Hit[], index: number | undefined): string {
  if (text.trim() === "") return "";
  if (hits.length === 0) return "Nothing found";
  const hit = index === undefined ? undefined : hits[index];
  if (!hit) return `${hits.length} found`;
  return `${(index ?? 0) + 1} of ${hits.length}: ${hit.title}`;
}
