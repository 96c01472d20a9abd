import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ApiKey } from "../../../src/identity/wire.ts";
import { apiKeysQuery, createApiKey } from "../../api/api-keys.ts";
import { Form } from "../../parts/form.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { expiryToInstant, usualExpiry } from "../api-keys/expiry.ts";
import { KeyTextField } from "../api-keys/key-text-field.tsx";
import { Step } from "./step.tsx";

type KeyStepProps = {
  number: number;
  organizationId: string;
  /** Undefined until they are known. */
  keys: ApiKey[] | undefined;
  /** Of a key that was made here just now. */
  keyText: string | undefined;
  onKeyText: (text: string) => void;
};

export function KeyStep({ number, organizationId, keys, keyText, onKeyText }: KeyStepProps) {
  const isDone = (keys?.length ?? 0) > 0;
  return (
    <Step number={number} title="Create a key" isDone={isDone}>
      {keyText !== undefined && <NewKey text={keyText} />}
      {keyText === undefined && !keys && <Skeleton className="h-10 max-w-md" />}
      {keyText === undefined && keys && isDone && <KnownKeys organizationId={organizationId} keys={keys} />}
      {keyText === undefined && keys && !isDone && (
        <FirstKeyForm organizationId={organizationId} onKeyText={onKeyText} />
      )}
    </Step>
  );
}

function FirstKeyForm({ organizationId, onKeyText }: { organizationId: string; onKeyText: (text: string) => void }) {
  const queryClient = useQueryClient();
  const expiresAt = expiryToInstant(usualExpiry);
  return (
    <>
      <p className="text-sm text-muted">
        A client shows it to be let in. This one may call tools, for 90 days; it can be ended at any time.
      </p>
      <Form
        submit="Create key"
        send={async (field) => {
          const body = {
            name: field("name"),
            scopes: ["mcp:invoke" as const],
            toolRules: null,
            ...(expiresAt && { expiresAt }),
          };
          onKeyText((await createApiKey(organizationId, body)).key);
          await queryClient.invalidateQueries(apiKeysQuery(organizationId));
        }}
      >
        <TextField label="Name" name="name" maxLength={100} autoComplete="off" defaultValue="My first client" />
      </Form>
    </>
  );
}

function NewKey({ text }: { text: string }) {
  return (
    <>
      <KeyTextField text={text} />
      <Notice kind="warning">
        Copy it now: it is shown only until you leave this page. The next steps have it filled in already.
      </Notice>
    </>
  );
}

function KnownKeys({ organizationId, keys }: { organizationId: string; keys: ApiKey[] }) {
  return (
    <p className="text-sm text-muted wrap-anywhere">
      {keys.length === 1 ? `${keys[0]?.name} (${keys[0]?.hint})` : `${keys.length} keys`}. Its text was shown when it
      was made. You lost it?{" "}
      <Link
        to="/o/$organizationId/api-keys"
        params={{ organizationId }}
        className="text-accent underline underline-offset-4"
      >
        Regenerate it on the API keys page
      </Link>
    </p>
  );
}
