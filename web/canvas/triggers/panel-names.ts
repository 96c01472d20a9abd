import type { TriggerKind } from "../../../src/triggers/wire.ts";
import { kinds } from "../../pages/triggers/kinds.ts";

// What the address says about triggers in `panel`, and where their cards are on the page.

export const cardElementId = (cardId: string): string => `trigger-card-${cardId}`;

export const panelOfTrigger = (triggerId: string): string => `trigger-${triggerId}`;
export const panelOfNew = (kind: TriggerKind): string => `new-${kind}`;

export const readTriggerPanel = (panel: string | undefined): string | undefined =>
  panel?.startsWith("trigger-") ? panel.slice("trigger-".length) : undefined;

export const readNewPanel = (panel: string | undefined): TriggerKind | undefined =>
  kinds.find((kind) => panel === panelOfNew(kind));
