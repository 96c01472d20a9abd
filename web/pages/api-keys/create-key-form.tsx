import { useState } from "react";
import type { ApiKeyScope, ApiKeyWithText } from "../../../src/identity/wire.ts";
import { createApiKey } from "../../api/api-keys.ts";
import { Form } from "../../parts/form.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { type Expiry, expiryToInstant, usualExpiry } from "./expiry.ts";
import { ExpiryFields } from "./expiry-fields.tsx";
import { RuleFields } from "./rule-fields.tsx";
import { ScopeFields } from "./scope-fields.tsx";

type CreateKeyFormProps = {
  organizationId: string;
  initialScopes: ApiKeyScope[];
  onCreated: (key: ApiKeyWithText) => void;
};

export function CreateKeyForm({ organizationId, initialScopes, onCreated }: CreateKeyFormProps) {
  const [scopes, setScopes] = useState(initialScopes);
  const [rules, setRules] = useState<string[] | null>(null);
  const [expiry, setExpiry] = useState<Expiry>(usualExpiry);
  const [missing, setMissing] = useState<"scopes" | "rules">();
  const callsTools = scopes.includes("mcp:invoke");

  async function send(field: (name: string) => string) {
    const lacks = findMissing(scopes, callsTools ? rules : null);
    setMissing(lacks);
    if (lacks) return;
    const expiresAt = expiryToInstant(expiry);
    const toolRules = callsTools ? rules : null;
    onCreated(
      await createApiKey(organizationId, { name: field("name"), scopes, toolRules, ...(expiresAt && { expiresAt }) }),
    );
  }

  return (
    <Form submit="Create key" send={send} wide>
      <TextField
        label="Name"
        name="name"
        maxLength={100}
        autoComplete="off"
        hint="Who or what uses it, such as laptop or billing job."
      />
      <ScopeFields
        scopes={scopes}
        onChange={setScopes}
        fault={missing === "scopes" ? "Choose at least one thing the key may do." : undefined}
      />
      {callsTools && (
        <RuleFields
          organizationId={organizationId}
          rules={rules}
          onChange={setRules}
          fault={missing === "rules" ? noRules : undefined}
        />
      )}
      <ExpiryFields expiry={expiry} onChange={setExpiry} />
    </Form>
  );
}

const noRules = "Add at least one server, tool or pattern, or choose all tools.";

function findMissing(scopes: ApiKeyScope[], rules: string[] | null): "scopes" | "rules" | undefined {
  if (scopes.length === 0) return "scopes";
  return rules?.length === 0 ? "rules" : undefined;
}
