import { Radio, Square } from "lucide-react";
import type { Trigger } from "../../../../src/triggers/wire.ts";
import { Button } from "../../../parts/button.tsx";
import { ProblemNotice } from "../../../parts/problem-notice.tsx";
import { type ListeningState, writeTimeLeft } from "./use-listening.ts";

type ListeningBoxProps = { trigger: Trigger; listening: ListeningState };

/** Begins listening and says how it stands. */
export function ListeningBox({ trigger, listening }: ListeningBoxProps) {
  const { isListening, isOver, isBusy, error } = listening;
  return (
    <section
      aria-label="Listening"
      className={`grid justify-items-center gap-3 rounded-xl border px-4 py-5 text-center ${isListening ? "border-accent bg-accent-soft" : "border-line bg-surface"}`}
    >
      <div role="status" className="grid justify-items-center gap-2">
        {isListening && (
          <p className="flex items-center gap-2 font-semibold">
            <span className="size-2.5 rounded-full bg-accent motion-safe:animate-pulse" aria-hidden="true" />
            Listening for one event
          </p>
        )}
        {isOver && <p className="font-semibold">Nothing came. Listen again?</p>}
        {!isListening && !isOver && <p className="font-semibold">See what is really sent</p>}
        <p className="max-w-prose text-sm text-muted">{isListening ? whatHappens(trigger) : whatToDo}</p>
      </div>
      {isListening ? (
        <div className="flex flex-wrap items-center justify-center gap-3">
          <Button busy={isBusy} onClick={listening.stop}>
            <Square className="size-4" aria-hidden="true" />
            Stop listening
          </Button>
          <span className="text-sm text-muted tabular-nums">{writeTimeLeft(listening.leftMs)} left</span>
        </div>
      ) : (
        <Button look="primary" busy={isBusy} onClick={listening.begin}>
          <Radio className="size-4" aria-hidden="true" />
          Listen for a test event
        </Button>
      )}
      {error && <ProblemNotice error={error} />}
    </section>
  );
}

const whatToDo = "Start listening, then send something to the address. The next event is shown here as it came.";

const whatHappens = ({ active, workflowName }: Trigger): string =>
  active
    ? `Send something to the address. “${workflowName}” runs as usual if it is published and on, and a copy appears here.`
    : "Send something to the address. The trigger is off, so the event is only shown here and nothing runs.";
