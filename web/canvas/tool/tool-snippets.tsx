import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { WorkflowTool } from "../../../src/workflows/wire.ts";
import { serversQuery } from "../../api/servers.ts";
import { keyPlaceholder, writeCurl, writeSnippet } from "../../pages/servers/client-snippets.ts";
import { findServerUrl, workflowServerId } from "../../pages/servers/organization-servers.ts";
import { Button } from "../../parts/button.tsx";
import { CopyBlock } from "../../parts/copy-block.tsx";
import { CopyField } from "../../parts/copy-field.tsx";
import { ProblemNotice } from "../../parts/problem-notice.tsx";
import { sampleArguments } from "./describe-tool.ts";

/** How clients reach the tool: the address, an entry for a client, and one call by hand. */
export function ToolSnippets({ organizationId, tool }: { organizationId: string; tool: WorkflowTool }) {
  const { data: servers, error, refetch } = useQuery(serversQuery);
  if (error) return <ProblemNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />;
  const url = servers && findServerUrl(servers, workflowServerId);
  if (url === undefined) return null;
  const entry = writeSnippet("json", { id: workflowServerId, url, key: keyPlaceholder });
  const call = { method: "tools/call", params: { name: tool.name, arguments: sampleArguments(tool.inputs) } };
  return (
    <section aria-label="How to call it" className="grid grid-cols-1 gap-3">
      <h3 className="text-sm font-semibold">How to call it</h3>
      <CopyField label="MCP address of your workflows" text={url} />
      <CopyBlock label="Entry for a client" text={entry.text} />
      <CopyBlock label="One call by hand" text={writeCurl(url, keyPlaceholder, call)} />
      <p className="text-sm text-muted">
        Put an API key with the scope <code className="font-mono text-xs">mcp:invoke</code> in place of {keyPlaceholder}
        .{" "}
        <Link
          to="/o/$organizationId/servers/$serverId"
          params={{ organizationId, serverId: workflowServerId }}
          className="text-accent underline underline-offset-4"
        >
          Other clients
        </Link>
      </p>
    </section>
  );
}
