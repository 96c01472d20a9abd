import { CopyField } from "../../parts/copy-field.tsx";
import { Notice } from "../../parts/notice.tsx";

/** What to do at the provider before connecting. */
export function OAuthGuide({ title, advice }: { title: string; advice?: string | undefined }) {
  return (
    <div className="grid gap-3 rounded-lg bg-page p-4">
      <p className="text-sm">
        Register an application with {title} and give it this redirect address. Then enter its client ID and secret
        here. Leave both empty when this installation has a client of its own.
      </p>
      <CopyField label="Redirect address" text={`${location.origin}/api/oauth/callback`} />
      {advice && <Notice kind="hint">{advice}</Notice>}
    </div>
  );
}
