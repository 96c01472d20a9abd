import { useCallback, useState } from "react";
import { browserStorage } from "../browser-storage.ts";
import { useMe } from "../session.ts";

/** How somebody arranged the page, kept for that person in this browser. */
export function useKept<Value extends string | number>(
  name: string,
  standard: Value,
  isValue: (kept: unknown) => kept is Value,
): [Value, (value: Value) => void] {
  const { user } = useMe();
  const key = `switchyard.arranged.${user.id}` as const;
  const [value, setValue] = useState(() => {
    const kept = readAll(key)[name];
    return isValue(kept) ? kept : standard;
  });
  const keep = useCallback(
    (next: Value) => {
      setValue(next);
      browserStorage.write(key, JSON.stringify({ ...readAll(key), [name]: next }));
    },
    [key, name],
  );
  return [value, keep];
}

export const useKeptNumber = (name: string, standard: number) => useKept<number>(name, standard, isNumber);

const isNumber = (kept: unknown): kept is number => typeof kept === "number" && Number.isFinite(kept);

function readAll(key: `switchyard.arranged.${string}`): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(browserStorage.read(key) ?? "{}");
    return typeof read === "object" && read !== null ? { ...read } : {};
  } catch {
    return {};
  }
}
