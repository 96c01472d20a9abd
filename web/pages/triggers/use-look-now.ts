import { useMutation } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { Trigger } from "../../../src/triggers/wire.ts";
import { lookNow, retryItems } from "../../api/triggers.ts";

/** A process that looks keeps the trigger to itself for this long; a next look that is later says that this one is over. */
const lookLimitMs = 31_000;
const askEveryMs = 1_000;

type Asked = { seen: string; untilMs: number };

/** Has a poll look now, also at what it keeps back, and follows it until it has. `refresh` ends once the trigger is known anew. */
export function useLookNow(organizationId: string, trigger: Trigger, refresh: () => Promise<unknown>) {
  const [asked, setAsked] = useState<Asked>();
  const request = useMutation({
    mutationFn: async (ask: typeof lookNow) => {
      await ask(organizationId, trigger.id);
      await refresh();
    },
    onSuccess: () => setAsked({ seen: resultOf(trigger), untilMs: Date.now() + lookLimitMs }),
  });
  const isLooking = asked !== undefined && !isOver(trigger, asked);
  const again = useEffectEvent(() => {
    // What is waited for may be over without a trace, where the process that looked was stopped.
    if (asked && Date.now() > asked.untilMs) setAsked(undefined);
    else void refresh();
  });
  useEffect(() => {
    if (!isLooking) return;
    const timer = setInterval(() => again(), askEveryMs);
    return () => clearInterval(timer);
  }, [isLooking]);
  return {
    look: () => request.mutate(lookNow),
    lookAgain: () => request.mutate(retryItems),
    isLooking: request.isPending || isLooking,
    error: request.error,
  };
}

const resultOf = ({ poll, lastError }: Trigger): string => JSON.stringify([poll?.lastPolledAt, lastError]);

const isOver = (trigger: Trigger, { seen, untilMs }: Asked): boolean =>
  !trigger.active || resultOf(trigger) !== seen || Date.parse(trigger.poll?.nextPollAt ?? "") > untilMs;
