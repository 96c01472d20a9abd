import { useEffect, useRef } from "react";
import type { Suggestion } from "./expressions.ts";

type SuggestionListProps = {
  id: string;
  label: string;
  offered: readonly Suggestion[];
  active: number;
  onChoose: (suggestion: Suggestion) => void;
};

/** What can be written at the caret. The focus stays in the field. */
export function SuggestionList({ id, label, offered, active, onChoose }: SuggestionListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={`References for ${label}`}
      className="absolute inset-x-0 top-full z-30 mt-1 max-h-64 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-lg"
    >
      {offered.map((suggestion, index) => (
        <div
          key={suggestion.text}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          // Pressing must not take the focus out of the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(suggestion)}
          onKeyDown={(event) => event.key === "Enter" && onChoose(suggestion)}
          className="flex cursor-pointer items-baseline gap-2 rounded-md px-2 py-1 text-xs hover:bg-hover aria-selected:bg-accent-soft"
        >
          <span className="min-w-0 shrink-0 font-mono wrap-anywhere">{suggestion.text}</span>
          <span className="min-w-0 truncate text-muted">{suggestion.detail}</span>
        </div>
      ))}
    </div>
  );
}
