import { useSyncExternalStore } from "react";
import { browserStorage } from "./browser-storage.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The chosen theme. public/apply-theme.js has already put a kept choice on the document. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, currentTheme), chooseTheme];
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function currentTheme(): Theme {
  const shown = document.documentElement.dataset.theme;
  return themes.find((theme) => theme === shown) ?? "system";
}

function chooseTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  browserStorage.write("switchyard.theme", theme === "system" ? null : theme);
  for (const listener of listeners) listener();
}
