import { type ReactNode, useId } from "react";
import type { Canvas } from "../../../../src/workflows/wire.ts";
import { Button } from "../../../parts/button.tsx";
import { controlLook } from "../../../parts/field.tsx";
import { OverridesEditor } from "../overrides-editor.tsx";
import type { CallDraft } from "./use-call.ts";

type CallOptionsProps = { organizationId: string; canvas: Canvas; draft: CallDraft };

/** What goes along with the call. Everything is optional. */
export function CallOptions({ organizationId, canvas, draft }: CallOptionsProps) {
  const id = useId();
  return (
    <div className="grid gap-4">
      <div className="grid gap-1.5">
        <label htmlFor={`${id}-prompt`} className="text-sm font-medium">
          Prompt
        </label>
        <textarea
          id={`${id}-prompt`}
          rows={2}
          value={draft.prompt}
          disabled={draft.isWritten}
          onChange={(event) => draft.setPrompt(event.target.value)}
          aria-describedby={`${id}-prompt-hint`}
          className={controlLook}
        />
        <p id={`${id}-prompt-hint`} className="text-xs text-muted">
          Nodes read it as <code className="font-mono">$trigger.prompt</code>.
        </p>
      </div>
      {!draft.isWritten && (
        <Section title="Instructions and accounts of this call" count={draft.overrides.length}>
          <OverridesEditor
            organizationId={organizationId}
            canvas={canvas}
            value={draft.overrides}
            onChange={draft.setOverrides}
          />
        </Section>
      )}
      <Section title="Headers" count={Object.keys(draft.call?.headers ?? {}).length}>
        <HeaderFields draft={draft} />
      </Section>
      <Section title="Body">
        <BodyField draft={draft} />
      </Section>
    </div>
  );
}

function Section({ title, count = 0, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <details className="rounded-lg border border-line">
      <summary className="cursor-pointer rounded-lg px-3.5 py-2.5 text-sm font-medium hover:bg-hover">
        {title}
        {count > 0 && <span className="ml-2 font-normal text-muted">{count} set</span>}
      </summary>
      <div className="grid gap-4 px-3.5 pt-2 pb-3.5">{children}</div>
    </details>
  );
}

function HeaderFields({ draft }: { draft: CallDraft }) {
  const id = useId();
  return (
    <>
      <label className="flex items-start gap-2.5 text-sm">
        <input
          type="checkbox"
          checked={draft.waits}
          onChange={(event) => draft.setWaits(event.target.checked)}
          className="mt-1 accent-accent"
        />
        <span className="grid gap-0.5">
          <code className="font-mono text-xs leading-5">Prefer: wait=30</code>
          <span className="text-xs text-muted">
            The answer comes when the run has ended, with its result; after 30 seconds without it, the run goes on.
          </span>
        </span>
      </label>
      <div className="grid gap-1.5">
        <label htmlFor={`${id}-key`} className="text-sm">
          <code className="font-mono text-xs">Idempotency-Key</code>
        </label>
        <input
          id={`${id}-key`}
          type="text"
          maxLength={255}
          autoComplete="off"
          placeholder="order-1042"
          value={draft.idempotencyKey}
          onChange={(event) => draft.setIdempotencyKey(event.target.value)}
          aria-invalid={draft.keyFault ? true : undefined}
          aria-describedby={`${id}-key-hint`}
          className={controlLook}
        />
        <p id={`${id}-key-hint`} className={draft.keyFault ? "text-sm text-danger" : "text-xs text-muted"}>
          {draft.keyFault ??
            "The same text sent again starts no second run for 24 hours, so a call can be repeated after a lost answer"}
          .
        </p>
      </div>
    </>
  );
}

function BodyField({ draft }: { draft: CallDraft }) {
  const id = useId();
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="sr-only">
        Body of the call, as JSON
      </label>
      <textarea
        id={id}
        rows={8}
        spellCheck={false}
        value={draft.bodyText}
        onChange={(event) => draft.setWritten(event.target.value)}
        aria-invalid={draft.isBodyReadable ? undefined : true}
        aria-describedby={`${id}-hint`}
        className={`${controlLook} font-mono text-xs!`}
      />
      <div id={`${id}-hint`} className="flex flex-wrap items-center gap-2 text-xs text-muted">
        {!draft.isBodyReadable && (
          <span role="alert" className="text-sm text-danger">
            This is not a JSON object.
          </span>
        )}
        {draft.isWritten ? "Written by hand." : "Made of the fields above. It can be changed by hand."}
        {draft.isWritten && (
          <Button look="bare" onClick={() => draft.setWritten(undefined)}>
            Use the fields again
          </Button>
        )}
      </div>
    </div>
  );
}
