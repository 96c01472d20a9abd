import { CopyField } from "../../parts/copy-field.tsx";
import { Notice } from "../../parts/notice.tsx";

/** What to do at the provider before connecting. */
export function OAuthGuide({ title, scopes, advice }: { title: string; scopes: string[]; advice?: string | undefined }) {
  return (
    <div className="grid gap-3 rounded-lg bg-page p-4">
      <p className="text-sm">
        Register an application with {title} and give it this redirect address. Then enter its client ID and secret here. Leave both empty
        when this installation has a client of its own.
      </p>
      <CopyField label="Redirect address" text={`${location.origin}/api/oauth/callback`} />
      {advice && <Notice kind="hint">{advice}</Notice>}
      {scopes.length > 0 && (
        <div className="grid gap-1.5">
          <p className="text-sm font-medium">Scopes it asks for</p>
          <ul className="flex flex-wrap gap-1.5">
            {scopes.map((scope) => (
              <li key={scope} className="rounded bg-hover px-1.5 py-0.5 font-mono text-xs wrap-anywhere">
                {scope}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
