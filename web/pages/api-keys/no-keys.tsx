import { Link } from "@tanstack/react-router";
import { Card } from "../../parts/card.tsx";

export function NoKeys({ organizationId }: { organizationId: string }) {
  return (
    <Card
      title="No keys yet"
      description="Create one key for each program or client, so that you can end one without the others."
    >
      <ul className="grid gap-2 text-sm text-muted">
        <li>
          To let an AI client call tools: create a key that may call tools, then add it to the client from{" "}
          <Link
            to="/o/$organizationId/servers"
            params={{ organizationId }}
            className="text-accent underline underline-offset-4"
          >
            MCP servers
          </Link>
          .
        </li>
        <li>To start workflows from your own program: create a key that may start workflows.</li>
        <li>A key can be limited to some tools and to a time.</li>
      </ul>
    </Card>
  );
}
