import { useId, useState } from "react";
import { splitScopes } from "../../../src/base/split-scopes.ts";
import { controlLook } from "../../parts/field.tsx";
import type { FieldFault } from "../../problem.ts";
import type { Variant } from "./credential-fields.ts";
import { joinScopes } from "./join-scopes.ts";

type ScopesFieldProps = {
  variant: Variant;
  /** What is asked for beside the usual ones. */
  value: unknown;
  onChange: (further: string | undefined) => void;
  /** What the provider said it grants; undefined before it was connected, or where it does not say. */
  granted?: unknown;
  faults: FieldFault[];
};

/** What a connection may do: the usual scopes, and those that the account asks for besides. */
export function ScopesField({ variant, value, onChange, granted, faults }: ScopesFieldProps) {
  const id = useId();
  const further = splitScopes(value);
  const offered = variant.knownScopes.filter(({ name }) => !variant.scopes.includes(name));
  const isOffered = (scope: string) => offered.some(({ name }) => name === scope);
  const [typed, setTyped] = useState(() => further.filter((scope) => !isOffered(scope)).join(" "));
  const chosen = further.filter(isOffered);
  const given = granted === undefined ? undefined : splitScopes(granted);
  const fault = faults.find(({ pointer }) => pointer === "/furtherScopes");

  function toggle(scope: string, isOn: boolean) {
    onChange(joinScopes(isOn ? [...chosen, scope] : chosen.filter((other) => other !== scope), typed));
  }

  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1 text-sm font-medium">Scopes</legend>
      <p className="text-xs text-muted">What it may do there. A change counts when it is connected again.</p>
      <ul className="grid gap-2" aria-label="Scopes that are always asked for">
        {variant.scopes.map((scope) => (
          <li key={scope} className="grid min-w-0 gap-0.5">
            <ScopeName scope={scope} given={given} />
            <span className="text-xs text-muted">
              {variant.knownScopes.find(({ name }) => name === scope)?.description}
            </span>
          </li>
        ))}
      </ul>
      {offered.length > 0 && (
        <details className="rounded-md border border-line" open={chosen.length > 0 || undefined}>
          <summary className="cursor-pointer rounded-md px-3 py-2 text-sm text-muted hover:text-ink">
            Ask for more
          </summary>
          <ul className="grid gap-2.5 px-3 pt-1 pb-3">
            {offered.map(({ name, description }) => (
              <li key={name}>
                <label className="flex min-w-0 items-start gap-2.5">
                  <input
                    type="checkbox"
                    checked={chosen.includes(name)}
                    onChange={({ target }) => toggle(name, target.checked)}
                    className="mt-0.5 accent-accent"
                  />
                  <span className="grid min-w-0 gap-0.5">
                    <ScopeName scope={name} given={chosen.includes(name) ? given : undefined} />
                    <span className="text-xs text-muted">{description}</span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
        </details>
      )}
      <div className="grid gap-1.5">
        <label htmlFor={id} className="text-sm font-medium">
          Other scopes
        </label>
        <input
          id={id}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(joinScopes(chosen, target.value));
          }}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={`${id}-hint`}
          className={controlLook}
        />
        <p id={`${id}-hint`} className={`text-xs ${fault ? "text-danger" : "text-muted"}`}>
          {fault ? `Other scopes ${fault.detail}.` : "Separated by spaces, as the service writes them."}
        </p>
      </div>
    </fieldset>
  );
}

function ScopeName({ scope, given }: { scope: string; given: string[] | undefined }) {
  const isGiven = given?.some((one) => one === scope || one.endsWith(`/${scope}`));
  // That one is about the connection, which not every provider repeats.
  const isKnown = given !== undefined && (isGiven || scope !== "offline_access");
  return (
    <span className="flex flex-wrap items-center gap-2">
      <code className="font-mono text-xs wrap-anywhere">{scope}</code>
      {isKnown && (
        <span
          className={`rounded-full px-2 py-0.5 text-xs ${isGiven ? "bg-success-soft text-success" : "bg-warning-soft text-warning"}`}
        >
          {isGiven ? "granted" : "not granted"}
        </span>
      )}
    </span>
  );
}
