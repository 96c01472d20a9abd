import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import type { Credential, CredentialChange } from "../../../src/vault/wire.ts";
import { changeCredential, credentialQuery, credentialsKey } from "../../api/credentials.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Notice } from "../../parts/notice.tsx";
import { changeOf, fieldsOf, keepSecrets, removableSecrets, type Variant, visibleValues } from "./credential-fields.ts";
import { FieldGroups } from "./field-groups.tsx";
import { FormProblem, useFormFaults } from "./form-problem.tsx";
import { NameField } from "./name-field.tsx";
import { ScopesField } from "./scopes-field.tsx";

type EditCardProps = { organizationId: string; credential: Credential; type: CredentialTypeEntry; variant: Variant };

/** Name and fields. Secrets are not there: what is typed in replaces them, what is left empty stays. */
export function EditCard({ organizationId, credential, type, variant }: EditCardProps) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(credential.name);
  const [values, setValues] = useState(() => visibleValues(variant, credential.data));
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const data = {
    ...changeOf(variant, credential.data, values),
    ...Object.fromEntries(removed.map((secret) => [secret, null])),
  };
  const change: CredentialChange = {
    ...(name === credential.name ? {} : { name }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
  const save = useMutation({
    mutationFn: () => changeCredential(organizationId, credential.id, change),
    onSuccess: async (saved) => {
      setName(saved.name);
      setValues(visibleValues(variant, saved.data));
      setRemoved([]);
      queryClient.setQueryData(credentialQuery(organizationId, credential.id).queryKey, saved);
      await queryClient.invalidateQueries({ queryKey: credentialsKey(organizationId) });
    },
  });
  const { form, faults, fieldFaults } = useFormFaults(save.error);
  const { main, advanced } = fieldsOf(type, variant);

  function send(event: FormEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  }

  return (
    <Card title="Name and fields" description={type.variants.length > 1 ? variant.title : undefined}>
      <form ref={form} onSubmit={send} className="grid max-w-md gap-4" noValidate>
        <NameField value={name} onChange={setName} faults={faults} />
        <FieldGroups
          main={keepSecrets(main, credential.data)}
          advanced={advanced && keepSecrets(advanced, credential.data)}
          value={values}
          onChange={setValues}
          faults={fieldFaults}
        />
        {variant.isOAuth2 && (
          <ScopesField
            variant={variant}
            value={values.furtherScopes}
            onChange={(furtherScopes) => setValues({ ...values, furtherScopes })}
            granted={credential.data.grantedScopes}
            faults={fieldFaults}
          />
        )}
        {removableSecrets(variant, credential.data).map(({ name: secret, label }) => (
          <label key={secret} className="flex items-center gap-2.5 text-sm">
            <input
              type="checkbox"
              checked={removed.includes(secret)}
              onChange={({ target }) =>
                setRemoved(target.checked ? [...removed, secret] : removed.filter((other) => other !== secret))
              }
              className="accent-accent"
            />
            Remove the {label.toLowerCase()} that is set
          </label>
        ))}
        <FormProblem error={save.error} fields={[main, advanced]} />
        {save.isSuccess && Object.keys(change).length === 0 && <Notice kind="success">Saved.</Notice>}
        <Button
          type="submit"
          look="primary"
          busy={save.isPending}
          disabled={Object.keys(change).length === 0}
          className="justify-self-start disabled:opacity-50"
        >
          Save
        </Button>
      </form>
    </Card>
  );
}
