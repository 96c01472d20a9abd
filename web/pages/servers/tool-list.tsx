import { useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import type { Server, ServerTool } from "../../api/servers.ts";
import type { MyOrganization } from "../../session.ts";
import { EffectBadge } from "./effect-badge.tsx";
import { ToolDetails } from "./tool-details.tsx";

/** The tools of a server; the one that is open stands in the address. */
export function ToolList({ organization, server }: { organization: MyOrganization; server: Server }) {
  const { tool: open } = useSearch({ from: "/signed-in/o/$organizationId/servers/$serverId" });
  const navigate = useNavigate({ from: "/o/$organizationId/servers/$serverId" });
  const setOpen = (tool: string | undefined) =>
    void navigate({
      search: ({ tool: _, ...before }) => (tool ? { ...before, tool } : before),
      replace: true,
      resetScroll: false,
    });
  return (
    <ul className="-mb-3 divide-y divide-line">
      {server.tools.map((tool) => (
        <ToolRow
          key={tool.name}
          organization={organization}
          server={server}
          tool={tool}
          isOpen={open === tool.name}
          onToggle={() => setOpen(open === tool.name ? undefined : tool.name)}
        />
      ))}
    </ul>
  );
}

type ToolRowProps = {
  organization: MyOrganization;
  server: Server;
  tool: ServerTool;
  isOpen: boolean;
  onToggle: () => void;
};

function ToolRow({ organization, server, tool, isOpen, onToggle }: ToolRowProps) {
  const id = useId();
  const row = useRef<HTMLLIElement>(null);
  const cameOpen = useRef(isOpen);
  useEffect(() => {
    if (cameOpen.current) row.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <li ref={row} className="scroll-mt-20 md:scroll-mt-4">
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={onToggle}
          className="-mx-2 flex w-[calc(100%+1rem)] items-start gap-2.5 rounded-md px-2 py-3 text-left hover:bg-hover"
        >
          <ChevronRight className={`mt-1 size-4 shrink-0 text-muted ${isOpen ? "rotate-90" : ""}`} aria-hidden="true" />
          <span className="grid min-w-0 flex-1 gap-0.5">
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="font-medium wrap-anywhere">{tool.title}</span>
              <EffectBadge tool={tool} />
            </span>
            <span className="text-sm font-normal text-muted">{tool.description}</span>
          </span>
        </button>
      </h3>
      {isOpen && (
        <div id={id} className="pb-5 sm:pl-6">
          <ToolDetails organization={organization} server={server} tool={tool} />
        </div>
      )}
    </li>
  );
}
