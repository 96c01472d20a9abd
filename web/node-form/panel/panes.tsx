import { type ReactNode, useRef } from "react";
import { Grip } from "../../parts/grip.tsx";
import { useKeptNumber } from "../../parts/use-kept.ts";

type PanesProps = Record<"incoming" | "form" | "output", ReactNode>;

const standard = { incoming: 25, output: 33 };
const limits = { least: 15, most: 60, unit: "%" } as const;

/** What comes in, the form, and what comes out, beside each other. The form has what the others leave. */
export function Panes({ incoming, form, output }: PanesProps) {
  const [left, setLeft] = useKeptNumber("incoming", standard.incoming);
  const [right, setRight] = useKeptNumber("output", standard.output);
  const leftPane = useRef<HTMLElement>(null);
  const rightPane = useRef<HTMLElement>(null);
  return (
    <div className="flex min-h-0 flex-1">
      <section
        ref={leftPane}
        data-pane="incoming"
        tabIndex={-1}
        aria-label="Incoming data"
        style={{ flexBasis: `${left}%` }}
        className={`${paneLook} min-w-64 border-r bg-page`}
      >
        {incoming}
        <Grip
          label="Width of the incoming data"
          axis="x"
          pane={leftPane}
          at="end"
          size={{ ...limits, value: left, standard: standard.incoming }}
          onChange={setLeft}
          className="-right-1.5"
        />
      </section>
      <section
        data-pane="form"
        tabIndex={-1}
        aria-label="Form"
        className="flex min-h-0 min-w-60 flex-1 flex-col -outline-offset-2"
      >
        {form}
      </section>
      <section
        ref={rightPane}
        data-pane="output"
        tabIndex={-1}
        aria-label="Output"
        style={{ flexBasis: `${right}%` }}
        className={`${paneLook} min-w-60 border-l bg-page`}
      >
        <Grip
          label="Width of the output"
          axis="x"
          pane={rightPane}
          at="start"
          size={{ ...limits, value: right, standard: standard.output }}
          onChange={setRight}
          className="-left-1.5"
        />
        {output}
      </section>
    </div>
  );
}

const paneLook = "relative flex min-h-0 shrink grow-0 flex-col border-line -outline-offset-2";
