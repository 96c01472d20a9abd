import { Link } from "@tanstack/react-router";
import { Bot, CircleCheck, CircleDashed } from "lucide-react";
import type { CredentialTypeEntry } from "../../../src/catalog/wire.ts";
import { type ConnectedTypes, works } from "../servers/use-connected-types.ts";
import type { DescribedTemplate } from "./describe-template.ts";

type AccountListProps = {
  organizationId: string;
  template: DescribedTemplate;
  connected: ConnectedTypes;
  types: CredentialTypeEntry[] | undefined;
};

/** The accounts of a template, and which of them are there. */
export function AccountList({ organizationId, template, connected, types }: AccountListProps) {
  const { accounts, needsModel } = template;
  if (accounts.length === 0 && !needsModel) return <p className="text-sm">Nothing. It runs as it is.</p>;
  return (
    <ul className="grid gap-3 text-sm">
      {accounts.map((type) => (
        <Account
          key={type}
          organizationId={organizationId}
          type={type}
          title={types?.find((entry) => entry.type === type)?.title ?? type}
          names={connected && namesOf(connected, type)}
        />
      ))}
      {needsModel && (
        <li className="flex items-start gap-2">
          <Bot className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden="true" />
          <span>
            A language model: that of your installation, or an account of OpenAI, Anthropic or Gemini that you choose in
            the node.
          </span>
        </li>
      )}
    </ul>
  );
}

const namesOf = (connected: NonNullable<ConnectedTypes>, type: string): string[] =>
  (connected.get(type)?.accounts ?? []).filter(works).map(({ name }) => name);

type AccountProps = { organizationId: string; type: string; title: string; names: string[] | undefined };

function Account({ organizationId, type, title, names }: AccountProps) {
  if (names && names.length > 0)
    return (
      <li className="flex items-start gap-2">
        <CircleCheck className="mt-0.5 size-4 shrink-0 text-success" aria-hidden="true" />
        <span className="wrap-anywhere">
          {title}: connected ({names.slice(0, 3).join(", ")})
        </span>
      </li>
    );
  return (
    <li className="flex items-start gap-2">
      <CircleDashed className="mt-0.5 size-4 shrink-0 text-muted" aria-hidden="true" />
      <span>
        {title}: {names ? "not connected. " : "…"}
        {names && (
          <Link
            to="/o/$organizationId/credentials"
            params={{ organizationId }}
            search={{ create: type }}
            className="text-accent underline underline-offset-4"
          >
            Connect {title}
          </Link>
        )}
      </span>
    </li>
  );
}
