import type { TriggerKind } from "../../../src/triggers/wire.ts";
import { kinds } from "../../pages/triggers/kinds.ts";

// What the address says about triggers in `panel`, and where their cards are on the page.

export const cardElementId = (cardId: string): string => `trigger-card-${cardId}`;

/** Being offered as a tool. */
export const toolPanel = "tool";

export const panelOfTrigger = (triggerId: string): string => `trigger-${triggerId}`;
/** `senderId`: who delivers to a new webhook. */
export const panelOfNew = (kind: TriggerKind, senderId?: string): string =>
  senderId === undefined ? `new-${kind}` : `new-${kind}-${senderId}`;

export const readTriggerPanel = (panel: string | undefined): string | undefined =>
  panel?.startsWith("trigger-") ? panel.slice("trigger-".length) : undefined;

export function readNewPanel(panel: string | undefined): { kind: TriggerKind; senderId?: string } | undefined {
  const [first, name, senderId] = panel?.split("-") ?? [];
  const kind = first === "new" ? kinds.find((one) => one === name) : undefined;
  return kind && { kind, ...(senderId === undefined ? {} : { senderId }) };
}
