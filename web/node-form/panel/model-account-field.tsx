import { useQuery } from "@tanstack/react-query";
import { credentialsQuery } from "../../api/credentials.ts";
import { controlLook } from "../../parts/field.tsx";
import { FaultLines } from "../fields/fault-lines.tsx";
import { changeNode } from "./change-node.ts";
import { faultsBelow } from "./faults-below.ts";
import type { NodePanelProps } from "./node-panel-props.ts";

/** Types of accounts that any node may carry, to have a model of the organization's own. */
export const modelCredentialTypes: readonly string[] = ["openai", "anthropic", "gemini"];

/** Whose language model the node asks: that of the installation, or one that the organization pays for. */
export function ModelAccountField({
  organizationId,
  node,
  kind,
  faults,
  readOnly,
  onChange,
  idPrefix,
}: NodePanelProps & { idPrefix: string }) {
  const id = `${idPrefix}/credentials/model`;
  const types = modelCredentialTypes.filter((type) => !kind?.credentials.includes(type));
  const accounts = useQuery(credentialsQuery(organizationId)).data?.filter(({ type }) => types.includes(type)) ?? [];
  const credentials = node.credentials ?? {};
  const chosen = types.map((type) => credentials[type]).find((reference) => reference !== undefined);
  const own = types.flatMap((type) => faultsBelow(faults, `/credentials/${type}`));

  const choose = (reference: string) => {
    const others = Object.fromEntries(Object.entries(credentials).filter(([type]) => !types.includes(type)));
    const account = accounts.find((entry) => entry.reference === reference);
    onChange(changeNode(node, "credentials", account ? { ...others, [account.type]: reference } : others));
  };

  return (
    <div className="grid min-w-0 gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Model account
      </label>
      <select
        id={id}
        disabled={readOnly}
        value={chosen ?? ""}
        onChange={(event) => choose(event.target.value)}
        aria-describedby={`${id}-hint ${id}-fault`}
        aria-invalid={own.length > 0 || undefined}
        className={controlLook}
      >
        <option value="">The model of this installation</option>
        {accounts.map(({ reference, name }) => (
          <option key={reference} value={reference}>
            {name}
          </option>
        ))}
        {chosen !== undefined && !accounts.some(({ reference }) => reference === chosen) && (
          <option value={chosen}>A credential that is gone</option>
        )}
      </select>
      <p id={`${id}-hint`} className="text-xs text-muted">
        {accounts.length > 0
          ? "Which language model is asked, and who pays for it."
          : "Add an OpenAI, Anthropic or Gemini credential to use a model of your own."}
      </p>
      <FaultLines id={`${id}-fault`} label="Model account" faults={own} />
    </div>
  );
}
