import { type KeyboardEvent, useState } from "react";
import { complete, type Draft, findDraft, offer, type Written } from "./complete.ts";
import type { Suggestion } from "./expressions.ts";

type Options = { suggestions: readonly Suggestion[]; text: string; isBare: boolean; write: (written: Written) => void };
type Open = { draft: Draft; caret: number; active: number };

/** What completion offers at the caret of a text field, and the keys that choose from it. */
export function useCompletion({ suggestions, text, isBare, write }: Options) {
  const [open, setOpen] = useState<Open>();
  const offered = open ? offer(suggestions, open.draft.word) : [];
  const active = open ? Math.min(open.active, offered.length - 1) : -1;

  const look = (next: string, caret: number) => {
    const draft = findDraft(next, caret, isBare);
    setOpen(draft && { draft, caret, active: 0 });
  };

  const close = () => setOpen(undefined);

  const choose = (suggestion: Suggestion | undefined) => {
    if (open && suggestion) write(complete(text, open.draft, open.caret, suggestion.text));
    close();
  };

  const move = (by: number) => open && setOpen({ ...open, active: (active + by + offered.length) % offered.length });

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === " " && event.ctrlKey) {
      const caret = event.currentTarget.selectionStart;
      setOpen({
        draft: findDraft(text, caret, isBare) ?? { start: caret, word: "", isInside: isBare },
        caret,
        active: 0,
      });
      event.preventDefault();
      return;
    }
    const act = offered.length > 0 ? keys[event.key] : undefined;
    if (!act || event.shiftKey) return;
    act({ move, choose: () => choose(offered[active]), close });
    event.preventDefault();
    // Escape would otherwise close what the field is in.
    event.stopPropagation();
  }

  return { offered, active, look, close, choose, onKeyDown };
}

type Acts = { move: (by: number) => void; choose: () => void; close: () => void };

const keys: Record<string, (acts: Acts) => void> = {
  ArrowDown: ({ move }) => move(1),
  ArrowUp: ({ move }) => move(-1),
  Enter: ({ choose }) => choose(),
  Tab: ({ choose }) => choose(),
  Escape: ({ close }) => close(),
};
