import { Link } from "@tanstack/react-router";
import { Card } from "../../parts/card.tsx";
import { NodeIcon } from "../../parts/node-icon.tsx";
import { useOrganization } from "../../session.ts";

/** What credentials are for, and the ones people begin with. */
export function NoCredentials({ manages }: { manages: boolean }) {
  const { id: organizationId } = useOrganization();
  return (
    <Card
      title="No credentials yet"
      description={
        manages
          ? "Add the account of a service once. Every tool and workflow of the organization can then use it, without anybody seeing its secret again."
          : "Owners and admins add the accounts that tools and workflows use. Ask one of them."
      }
    >
      {manages && (
        <ul className="grid gap-3 sm:grid-cols-3">
          {beginnings.map(({ type, title }) => (
            <li key={type}>
              <Link
                to="/o/$organizationId/credentials"
                params={{ organizationId }}
                search={{ create: type }}
                className="flex items-center gap-3 rounded-lg border border-line px-4 py-3 text-sm font-medium hover:border-accent"
              >
                <NodeIcon providerId={type} />
                {title}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const beginnings = [
  { type: "github", title: "GitHub" },
  { type: "slack", title: "Slack" },
  { type: "notion", title: "Notion" },
  { type: "gmail", title: "Gmail" },
  { type: "openai", title: "OpenAI" },
  { type: "postgres", title: "PostgreSQL" },
];
