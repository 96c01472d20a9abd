import type { VersionEntry, Workflow } from "../../../src/workflows/wire.ts";
import type { Side } from "../../api/workflows.ts";

// What stands on the left and on the right of a comparison; both are part of the address.

export type Sides = [from: Side, to: Side];

export const sideInWords = (side: Side): string =>
  side === "draft" ? "Draft" : side === 0 ? "Nothing" : `Version ${side}`;

export const writeSide = (side: Side): string => (side === "draft" ? side : `v${side}`);

export function readSide(text: string | undefined): Side | undefined {
  if (text === "draft") return text;
  const [, version] = /^v(\d{1,9})$/.exec(text ?? "") ?? [];
  return version === undefined ? undefined : Number(version);
}

/** What one entry of the list is compared with when it is chosen: the draft with what is live, a version with the one before it. */
export function sideBefore(side: Side, { version }: Pick<Workflow, "version">): Side {
  return side === "draft" ? version : Math.max(0, side - 1);
}

/** Who made a version or saved the draft. Neither a person nor a key: it was the command line. */
export function authorInWords({
  createdByKey,
  createdByName,
}: Pick<VersionEntry, "createdByKey" | "createdByName">): string {
  if (createdByName === null) return "Command line";
  return createdByKey === null ? createdByName : `Key ${createdByName}`;
}
