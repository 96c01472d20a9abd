import { useMatches } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { browserStorage } from "../browser-storage.ts";

type Rail = {
  /** Whether the page wants the room that the menu takes. */
  isOffered: boolean;
  /** Whether the menu is only as wide as its signs. */
  isRail: boolean;
  toggle: () => void;
};

const storageKey = "switchyard.menu";

/** Beside a canvas the menu is a rail, until somebody widens it, which this browser remembers. The key [ does it, too. */
export function useRail(): Rail {
  const isOffered = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.needsRoom) });
  const [isWide, setWide] = useState(() => browserStorage.read(storageKey) === "wide");
  const toggle = () => setWide(!isWide);
  useEffect(() => browserStorage.write(storageKey, isWide ? "wide" : null), [isWide]);
  useEffect(() => {
    if (!isOffered) return;
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, textarea, select, [role=dialog]");
      if (event.key === "[" && !event.ctrlKey && !event.metaKey && !isTyping) setWide((before) => !before);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [isOffered]);
  return { isOffered, isRail: isOffered && !isWide, toggle };
}
