import type { KeyboardEvent } from "react";

/**
 * What a key press is called in a table of keys: "a", "ctrl+z", "alt+arrowup". Ctrl is also the Command key. Shift is
 * named only beside another key that makes no character, as by itself it just makes another one.
 */
export function keyOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  const { ctrlKey, metaKey, altKey, shiftKey, key } = event;
  const isModified = ctrlKey || metaKey || altKey || key.length > 1;
  const parts = [(ctrlKey || metaKey) && "ctrl", altKey && "alt", shiftKey && isModified && "shift", key.toLowerCase()];
  return parts.filter(Boolean).join("+");
}

export type KeyTable = Record<string, (() => void) | undefined>;

/** Only for keys pressed on the canvas itself, not in a field or on a button inside it. */
export function pressKey(event: KeyboardEvent<HTMLElement>, table: KeyTable): void {
  if (event.target !== event.currentTarget) return;
  const act = table[keyOf(event)];
  if (!act) return;
  event.preventDefault();
  act();
}
