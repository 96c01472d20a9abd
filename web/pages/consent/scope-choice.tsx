import { Check } from "lucide-react";
import type { ConsentServer, OAuthScope } from "../../../src/oauth/wire.ts";

type ScopeChoiceProps = {
  scopes: ConsentServer["scopes"];
  refused: ReadonlySet<OAuthScope>;
  setRefused: (refused: ReadonlySet<OAuthScope>) => void;
  /** Whether the person may grant it at all in the chosen organization. */
  isOpen: (scope: OAuthScope) => boolean;
};

/** What is asked for, each with a box to refuse it. A single one cannot be refused without denying everything. */
export function ScopeChoice({ scopes, refused, setRefused, isOpen }: ScopeChoiceProps) {
  function toggle(scope: OAuthScope, isWanted: boolean) {
    const next = new Set(refused);
    if (isWanted) next.delete(scope);
    else next.add(scope);
    setRefused(next);
  }

  return (
    <fieldset className="grid gap-2.5">
      <legend className="mb-2 text-sm font-medium">It may</legend>
      {scopes.map(({ name, description }) =>
        scopes.length === 1 ? (
          <p key={name} className="flex items-start gap-2.5 text-sm">
            <Check className="mt-0.5 size-4 shrink-0 text-success" aria-hidden="true" />
            <ScopeText name={name} description={description} isOpen={isOpen(name)} />
          </p>
        ) : (
          <label key={name} className="flex items-start gap-2.5 text-sm">
            <input
              type="checkbox"
              className="mt-0.5 size-4 shrink-0 accent-accent"
              checked={isOpen(name) && !refused.has(name)}
              disabled={!isOpen(name)}
              onChange={(event) => toggle(name, event.target.checked)}
            />
            <ScopeText name={name} description={description} isOpen={isOpen(name)} />
          </label>
        ),
      )}
    </fieldset>
  );
}

function ScopeText({ name, description, isOpen }: { name: OAuthScope; description: string; isOpen: boolean }) {
  return (
    <span className="min-w-0">
      {description} <span className="font-mono text-xs text-muted">{name}</span>
      {!isOpen && <span className="block text-xs text-muted">Your role in this organization does not allow it.</span>}
    </span>
  );
}
