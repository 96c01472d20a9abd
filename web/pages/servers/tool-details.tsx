import { Link } from "@tanstack/react-router";
import { Tabs } from "radix-ui";
import type { ReactNode } from "react";
import type { Server, ServerTool } from "../../api/servers.ts";
import { CopyBlock } from "../../parts/copy-block.tsx";
import type { MyOrganization } from "../../session.ts";
import { workflowServerId } from "./organization-servers.ts";
import { SchemaTable } from "./schema-table.tsx";
import { TryTool } from "./try-tool.tsx";

type ToolDetailsProps = { organization: MyOrganization; server: Server; tool: ServerTool };

export function ToolDetails({ organization, server, tool }: ToolDetailsProps) {
  return (
    <Tabs.Root defaultValue="try" className="grid grid-cols-1 gap-4">
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm text-muted">
        <code className="rounded bg-hover px-1.5 py-0.5 text-xs text-ink wrap-anywhere">{tool.name}</code>
        {describeFurther(tool).map((words) => (
          <span key={words}>{words}</span>
        ))}
      </p>
      <Tabs.List aria-label={`About ${tool.title}`} className="flex flex-wrap gap-1 border-b border-line">
        <Tab value="try">Try it</Tab>
        <Tab value="parameters">Parameters</Tab>
        <Tab value="result">Result</Tab>
        <Tab value="json">JSON Schema</Tab>
      </Tabs.List>
      <Tabs.Content value="try" className={panelLook}>
        <TryOrWhyNot organization={organization} server={server} tool={tool} />
      </Tabs.Content>
      <Tabs.Content value="parameters" className={panelLook}>
        <SchemaTable schema={tool.inputSchema} label={`Parameters of ${tool.title}`} empty="It takes no parameters." />
      </Tabs.Content>
      <Tabs.Content value="result" className={panelLook}>
        <SchemaTable
          schema={tool.outputSchema}
          label={`Result of ${tool.title}`}
          empty="It returns nothing in particular."
        />
      </Tabs.Content>
      <Tabs.Content value="json" className={panelLook}>
        <CopyBlock label="Input" text={JSON.stringify(tool.inputSchema, null, 2)} />
        <CopyBlock label="Output" text={JSON.stringify(tool.outputSchema, null, 2)} />
      </Tabs.Content>
    </Tabs.Root>
  );
}

const panelLook = "grid grid-cols-1 gap-4";

function describeFurther({ annotations, worksWithoutAccount }: ServerTool): string[] {
  return [
    !annotations.readOnlyHint && (annotations.idempotentHint ? "Safe to repeat" : "Each call acts again"),
    annotations.openWorldHint ? "Talks to a service outside" : "Stays on this server",
    !worksWithoutAccount && "Needs an account",
  ].filter((words) => words !== false);
}

function TryOrWhyNot({ organization, server, tool }: ToolDetailsProps) {
  if (server.usesOAuthOnly)
    return (
      <p className="text-sm text-muted">
        Its tools act for a person through a connected client. Everything they tell is on these pages too.
      </p>
    );
  if (server.id === workflowServerId)
    return (
      <p className="text-sm text-muted">
        It runs a workflow.{" "}
        <Link
          to="/o/$organizationId/workflows"
          params={{ organizationId: organization.id }}
          search={{ search: tool.title }}
          className="text-accent underline underline-offset-4"
        >
          Open the workflow
        </Link>{" "}
        to run it with an input.
      </p>
    );
  if (organization.role === "viewer")
    return <p className="text-sm text-muted">Viewers cannot run tools. Members can.</p>;
  return <TryTool organizationId={organization.id} tool={tool} />;
}

function Tab({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Tabs.Trigger
      value={value}
      className="-mb-px min-h-9 border-b-2 border-transparent px-3 text-sm font-medium text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-accent"
    >
      {children}
    </Tabs.Trigger>
  );
}
