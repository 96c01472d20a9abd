import { ArrowLeft } from "lucide-react";
import { type FormEvent, useEffect, useId } from "react";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import { Button } from "../../parts/button.tsx";
import { fieldsOf, type Values, type Variant } from "./credential-fields.ts";
import { DefaultField } from "./default-field.tsx";
import { FieldGroups } from "./field-groups.tsx";
import { FormProblem, useFormFaults } from "./form-problem.tsx";
import { NameField } from "./name-field.tsx";
import { OAuthGuide } from "./oauth-guide.tsx";
import { ScopesField } from "./scopes-field.tsx";

export type Draft = {
  name: string;
  kind: string;
  data: Values;
  /** Undefined until somebody decided. */
  makeDefault?: boolean;
};

type CredentialFormProps = {
  organizationId: string;
  type: CredentialTypeEntry;
  draft: Draft;
  onChange: (draft: Draft) => void;
  onSubmit: () => void;
  busy: boolean;
  error: unknown;
  onBack?: () => void;
};

/** The fields of a new credential: its name, the way in where there are several, and what that needs. */
export function CredentialForm({
  organizationId,
  type,
  draft,
  onChange,
  onSubmit,
  busy,
  error,
  onBack,
}: CredentialFormProps) {
  const variant = type.variants.find(({ kind }) => kind === draft.kind);
  const fields = variant && fieldsOf(type, variant);
  const { form, faults, fieldFaults } = useFormFaults(error);

  // The choice of the service that had the focus is gone.
  useEffect(() => form.current?.querySelector("input")?.focus(), [form]);

  function send(event: FormEvent) {
    event.preventDefault();
    if (!busy) onSubmit();
  }

  return (
    <form ref={form} onSubmit={send} className="grid gap-4" noValidate>
      <NameField value={draft.name} onChange={(name) => onChange({ ...draft, name })} faults={faults} />
      {type.variants.length > 1 && (
        <MethodChoice
          variants={type.variants}
          kind={draft.kind}
          onChange={(kind) => onChange({ ...draft, kind, data: {} })}
        />
      )}
      {variant && (
        <VariantFields type={type} variant={variant} draft={draft} onChange={onChange} faults={fieldFaults} />
      )}
      <DefaultField
        organizationId={organizationId}
        type={type.type}
        value={draft.makeDefault}
        onChange={(makeDefault) => onChange({ ...draft, makeDefault })}
      />
      <FormProblem error={error} fields={fields ? [fields.main, fields.advanced] : []} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={busy}>
          {variant?.isOAuth2 ? `Connect ${type.provider.title}` : type.canBeTested ? "Save and test" : "Save"}
        </Button>
        {onBack && (
          <Button onClick={onBack}>
            <ArrowLeft className="size-4" aria-hidden="true" />
            Other service
          </Button>
        )}
      </div>
    </form>
  );
}

type VariantFieldsProps = Pick<CredentialFormProps, "type" | "draft" | "onChange"> & {
  variant: Variant;
  faults: ReturnType<typeof useFormFaults>["fieldFaults"];
};

function VariantFields({ type, variant, draft, onChange, faults }: VariantFieldsProps) {
  return (
    <>
      {variant.isOAuth2 && <OAuthGuide title={type.provider.title} advice={variant.advice} />}
      <FieldGroups
        key={variant.kind}
        {...fieldsOf(type, variant)}
        value={draft.data}
        onChange={(data) => onChange({ ...draft, data })}
        faults={faults}
      />
      {variant.isOAuth2 && (
        <ScopesField
          key={`${variant.kind}-scopes`}
          variant={variant}
          value={draft.data.furtherScopes}
          onChange={(furtherScopes) => onChange({ ...draft, data: { ...draft.data, furtherScopes } })}
          faults={faults}
        />
      )}
    </>
  );
}

function MethodChoice({
  variants,
  kind,
  onChange,
}: {
  variants: Variant[];
  kind: string;
  onChange: (kind: string) => void;
}) {
  const name = useId();
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">How to sign in</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {variants.map((variant) => (
          <label
            key={variant.kind}
            className="flex cursor-pointer items-center gap-2.5 rounded-md border border-line px-3 py-2 text-sm has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={variant.kind}
              checked={variant.kind === kind}
              onChange={() => onChange(variant.kind)}
              className="accent-accent"
            />
            {variant.title === "OAuth 2" ? "Connect by OAuth" : variant.title}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
