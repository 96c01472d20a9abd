import { Hand, type LucideIcon, Plus } from "lucide-react";
import { useId } from "react";
import { Button } from "../../parts/button.tsx";
import { offeredStarts } from "../triggers/trigger-kinds.ts";

type EmptyCanvasProps = {
  readOnly: boolean;
  /** Something starts the workflow already. */
  isStarted: boolean;
  /** Opens the list of nodes. */
  onAdd: () => void;
  /** Opens what is asked for a way to start it. */
  onStart: (panel: string) => void;
};

/** What a canvas without nodes asks: first what starts it, then what should happen. */
export function EmptyCanvas({ readOnly, isStarted, onAdd, onStart }: EmptyCanvasProps) {
  if (readOnly) return <Words>Nothing on this canvas yet. Members of the organization can add nodes.</Words>;
  return (
    <>
      <div className="md:hidden">
        <Words>Nothing on this canvas yet. Open this page on a larger screen to build.</Words>
      </div>
      <div className="hidden md:block">
        {isStarted ? <NextStep onAdd={onAdd} /> : <FirstQuestion onAdd={onAdd} onStart={onStart} />}
      </div>
    </>
  );
}

const over = "pointer-events-none absolute inset-x-0 top-0 bottom-11 flex justify-center p-6";

const Words = ({ children }: { children: string }) => (
  <div className={`${over} items-center text-center text-sm text-muted`}>
    <p>{children}</p>
  </div>
);

function FirstQuestion({ onAdd, onStart }: Pick<EmptyCanvasProps, "onAdd" | "onStart">) {
  return (
    <div className={`${over} items-center overflow-y-auto`}>
      <section aria-labelledby="first-question" className="pointer-events-auto m-auto grid w-full max-w-2xl gap-4">
        <div className="text-center">
          <h2 id="first-question" className="text-2xl font-semibold tracking-tight">
            What starts it?
          </h2>
          <p className="mt-1 text-muted">Choose one. You can add more later.</p>
        </div>
        <div className="grid grid-cols-2 gap-3">
          {offeredStarts.map(({ id, panel, ...looks }) => (
            <Answer key={id} {...looks} onPress={() => onStart(panel)} />
          ))}
          <Answer title="Add the first node" words="By hand: you press Run" Icon={Hand} onPress={onAdd} />
        </div>
      </section>
    </div>
  );
}

type AnswerProps = { title: string; words: string; Icon: LucideIcon; onPress: () => void };

/** Named by its title alone; what it means is told beside it. */
function Answer({ title, words, Icon, onPress }: AnswerProps) {
  const id = useId();
  return (
    <div className="relative flex min-w-0 items-center gap-3 rounded-xl border border-line bg-surface px-3.5 py-3 hover:border-accent">
      <span className="flex size-9 shrink-0 items-center justify-center rounded-full bg-accent-soft text-accent">
        <Icon className="size-5" aria-hidden="true" />
      </span>
      <span className="grid min-w-0 text-sm">
        <button
          type="button"
          onClick={onPress}
          aria-describedby={id}
          className="justify-self-start text-left font-medium outline-none after:absolute after:inset-0 after:rounded-xl focus-visible:after:outline-2 focus-visible:after:outline-accent"
        >
          {title}
        </button>
        <span id={id} className="truncate text-xs text-muted" title={words}>
          {words}
        </span>
      </span>
    </div>
  );
}

function NextStep({ onAdd }: Pick<EmptyCanvasProps, "onAdd">) {
  return (
    <div className={`${over} items-end`}>
      <div className="pointer-events-auto grid justify-items-center gap-2 text-center">
        <p className="text-sm text-muted">It has something that starts it. What should happen then?</p>
        <Button look="primary" onClick={onAdd}>
          <Plus className="size-4" aria-hidden="true" />
          Add the first node
        </Button>
      </div>
    </div>
  );
}
