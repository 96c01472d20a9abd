import { useId } from "react";
import type { ApiKeyScope } from "../../../src/identity/wire.ts";
import { scopesInOrder, scopeWords } from "./scopes.ts";

type ScopeFieldsProps = { scopes: ApiKeyScope[]; onChange: (scopes: ApiKeyScope[]) => void; fault: string | undefined };

export function ScopeFields({ scopes, onChange, fault }: ScopeFieldsProps) {
  const id = useId();
  const toggle = (scope: ApiKeyScope, on: boolean) =>
    onChange(on ? [...scopes, scope] : scopes.filter((entry) => entry !== scope));
  return (
    <fieldset className="grid gap-2" aria-describedby={fault ? `${id}-fault` : undefined}>
      <legend className="mb-1.5 text-sm font-medium">What it may do</legend>
      {scopesInOrder.map((scope) => (
        <label
          key={scope}
          className="flex cursor-pointer items-start gap-3 rounded-lg border border-line p-3 hover:bg-hover has-checked:border-accent"
        >
          <input
            type="checkbox"
            name={`scope-${scope}`}
            aria-label={scopeWords[scope].name}
            aria-describedby={`${id}-${scope}`}
            className="mt-0.5 size-4 accent-accent"
            checked={scopes.includes(scope)}
            onChange={(event) => toggle(scope, event.target.checked)}
          />
          <span className="grid gap-0.5 text-sm">
            <span className="font-medium">{scopeWords[scope].name}</span>
            <span id={`${id}-${scope}`} className="text-muted">
              {scopeWords[scope].description} <span className="font-mono text-xs">{scope}</span>
            </span>
          </span>
        </label>
      ))}
      {fault && (
        <p id={`${id}-fault`} role="alert" className="text-sm text-danger">
          {fault}
        </p>
      )}
    </fieldset>
  );
}
