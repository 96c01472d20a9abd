import type { FieldFault } from "../../problem.ts";

/** The faults of one part of a node, with pointers relative to that part. */
export function faultsBelow(faults: readonly FieldFault[], part: string): FieldFault[] {
  return faults
    .filter(({ pointer }) => pointer === part || pointer.startsWith(`${part}/`))
    .map(({ pointer, detail }) => ({ pointer: pointer.slice(part.length), detail }));
}

const shownParts = ["/parameters", "/settings", "/credentials", "/instruction", "/name", "/note"];

/** Faults that no field of the panel shows. */
export function unplacedFaults(faults: readonly FieldFault[]): FieldFault[] {
  return faults.filter(({ pointer }) => !shownParts.some((part) => pointer === part || pointer.startsWith(`${part}/`)));
}
