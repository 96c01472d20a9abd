import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ApiKey } from "../../../src/identity/wire.ts";
import { Badge } from "../../parts/badge.tsx";
import { Moment } from "../../parts/moment.tsx";
import { TimeAgo } from "../../parts/time-ago.tsx";
import { membersQuery } from "../../queries.ts";
import { describeExpiry } from "./expiry.ts";
import { scopesInOrder, scopeWords } from "./scopes.ts";

export function KeyFacts({ apiKey, organizationId }: { apiKey: ApiKey; organizationId: string }) {
  const { id, name, hint, scopes, toolRules, createdBy, createdAt, regeneratedAt, lastUsedAt } = apiKey;
  const creator = useQuery(membersQuery(organizationId)).data?.find(({ userId }) => userId === createdBy);
  return (
    <div className="grid min-w-0 flex-1 basis-72 gap-1.5">
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="font-mono text-xs text-muted">{hint}</span>
      </p>
      <p className="flex flex-wrap gap-1.5">
        {scopesInOrder
          .filter((scope) => scopes.includes(scope))
          .map((scope) => (
            <Badge key={scope}>{scopeWords[scope].name}</Badge>
          ))}
        <ExpiryBadge expiresAt={apiKey.expiresAt} />
      </p>
      {scopes.includes("mcp:invoke") && <RuleLine rules={toolRules} />}
      <p className="text-sm text-muted">
        <Facts>
          <span>
            Created <Moment at={createdAt} />
            {creator && ` by ${creator.name}`}
          </span>
          {regeneratedAt && (
            <>
              Regenerated <Moment at={regeneratedAt} />
            </>
          )}
          {lastUsedAt ? (
            <>
              Last used <TimeAgo at={lastUsedAt} />
            </>
          ) : (
            "Never used"
          )}
          <Link
            to="/o/$organizationId/history"
            params={{ organizationId }}
            search={{ tab: "tools", key: id }}
            className="text-accent underline underline-offset-4"
            aria-label={`Calls with ${name}`}
          >
            Calls
          </Link>
        </Facts>
      </p>
    </div>
  );
}

function ExpiryBadge({ expiresAt }: { expiresAt: string | null }) {
  const state = describeExpiry(expiresAt);
  if (expiresAt === null) return <Badge>Never expires</Badge>;
  if (state === "later")
    return (
      <Badge>
        <span>
          Expires <Moment at={expiresAt} />
        </span>
      </Badge>
    );
  const look = state === "over" ? "bg-danger-soft text-danger" : "bg-warning-soft text-warning";
  return (
    <span className={`inline-flex items-center gap-1 rounded-full px-2.5 py-0.5 text-xs font-medium ${look}`}>
      {state === "over" ? "Expired" : "Expires"} <TimeAgo at={expiresAt} />
    </span>
  );
}

function RuleLine({ rules }: { rules: string[] | null }) {
  if (rules === null) return <p className="text-sm text-muted">All tools</p>;
  return (
    <p className="flex flex-wrap items-center gap-1.5 text-sm text-muted">
      Only
      {rules.map((rule) => (
        <code key={rule} className="rounded bg-hover px-1.5 py-0.5 text-xs text-ink">
          {rule}
        </code>
      ))}
    </p>
  );
}

/** Short facts in one line, with a dot between them. */
function Facts({ children }: { children: ReactNode[] }) {
  return children.filter(Boolean).map((child, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the facts keep their order.
    <span key={index}>
      {index > 0 && <span aria-hidden="true"> · </span>}
      {child}
    </span>
  ));
}
