import { isFreeName } from "../wire.ts";

const longest = 50;

/** Gives out canvas ids that can be read: "Get orders" is get_orders, and what is taken gets a number. */
export function createIds() {
  const taken = new Set<string>();
  return (name: string): string => {
    const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
    const words =
      plain
        .replaceAll(/[^a-z0-9]+/g, "_")
        .replaceAll(/^_+|_+$/g, "")
        .slice(0, longest) || "node";
    const base = isFreeName(words) ? words : `${words}_node`;
    let id = base;
    for (let number = 2; taken.has(id); number += 1) id = `${base}_${number}`;
    taken.add(id);
    return id;
  };
}
