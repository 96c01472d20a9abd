import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKey } from "../../../src/identity/wire.ts";
import { apiKeysQuery, changeApiKey } from "../../api/api-keys.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Form } from "../../parts/form.tsx";
import { TextField } from "../../parts/text-field.tsx";
import type { MyOrganization } from "../../session.ts";
import { RuleFields } from "./rule-fields.tsx";

type EditKeyDialogProps = { organization: MyOrganization; apiKey: ApiKey; onClose: () => void };

export function EditKeyDialog({ organization, apiKey, onClose }: EditKeyDialogProps) {
  const queryClient = useQueryClient();
  const [rules, setRules] = useState(apiKey.toolRules);
  const [lacksRules, setLacksRules] = useState(false);

  async function send(field: (name: string) => string) {
    setLacksRules(rules?.length === 0);
    if (rules?.length === 0) return;
    await changeApiKey(organization.id, apiKey.id, { name: field("name"), toolRules: rules });
    await queryClient.invalidateQueries(apiKeysQuery(organization.id));
    onClose();
  }

  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={`Edit ${apiKey.name}`}
      description="Changes hold from the next request on. What a key may do and when it expires is fixed when it is made."
    >
      <Form submit="Save" send={send} wide>
        <TextField label="Name" name="name" maxLength={100} autoComplete="off" defaultValue={apiKey.name} />
        {apiKey.scopes.includes("mcp:invoke") && (
          <RuleFields
            organizationId={organization.id}
            rules={rules}
            onChange={setRules}
            fault={lacksRules ? "Add at least one server, tool or pattern, or choose all tools." : undefined}
          />
        )}
      </Form>
    </Dialog>
  );
}
