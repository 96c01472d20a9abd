import type { Trigger } from "../../../src/triggers/wire.ts";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { describeKept, type FaultyItems } from "./poll-words.ts";

type KeptItemsProps = FaultyItems & {
  trigger: Trigger;
  busy: boolean;
  /** For those who may. */
  retry: (() => void) | undefined;
};

/** What a poll found and could not take. */
export function KeptItems({ trigger, waiting, givenUp, lastFault, busy, retry }: KeptItemsProps) {
  if (waiting + givenUp === 0) return null;
  const action = retry && trigger.active && (
    <Button aria-label={`Try again what “${trigger.name}” keeps back`} busy={busy} onClick={retry}>
      Try again
    </Button>
  );
  return (
    <Notice kind="warning" action={action}>
      {describeKept({ waiting, givenUp })} The last fault: {lastFault}
    </Notice>
  );
}
