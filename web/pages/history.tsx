import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { callExportAddress } from "../api/history.ts";
import { buttonLook } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { useOrganization } from "../session.ts";
import { CallDetail } from "./history/call-detail.tsx";
import { CallList } from "./history/call-list.tsx";
import { forTab, toCallFilter } from "./history/filters.ts";
import { RunList } from "./history/run-list.tsx";
import { useHistorySearch } from "./history/use-history-search.ts";

export function HistoryPage() {
  const organization = useOrganization();
  const { search, change } = useHistorySearch();
  const { tab = "runs", record } = search;
  const isOpen = tab === "tools" && record !== undefined;

  function close() {
    change({ record: "" });
    document.getElementById(`record-${record}`)?.focus({ preventScroll: true });
  }

  return (
    <Page
      wide
      title="History"
      description="What ran and what was called, while it happens."
      action={
        tab === "tools" &&
        organization.role !== "viewer" && (
          <a href={callExportAddress(organization.id, toCallFilter(search))} download className={buttonLook("quiet")}>
            <Download className="size-4" aria-hidden="true" />
            Export as JSON lines
          </a>
        )
      }
    >
      <nav aria-label="What to show" className="flex gap-1 border-b border-line">
        {tabs.map(({ value, label }) => (
          <Link
            key={value}
            to="/o/$organizationId/history"
            params={{ organizationId: organization.id }}
            search={value === tab ? search : forTab(search, value)}
            aria-current={value === tab ? "page" : undefined}
            className="-mb-px border-b-2 border-transparent px-4 py-2 text-sm font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-accent"
          >
            {label}
          </Link>
        ))}
      </nav>
      {tab === "tools" ? (
        <div className="flex min-w-0 gap-6">
          <div className={`min-w-0 flex-1 ${isOpen ? "max-lg:hidden" : ""}`}>
            <CallList organizationId={organization.id} />
          </div>
          {isOpen && <CallDetail organizationId={organization.id} recordId={record} onClose={close} />}
        </div>
      ) : (
        <RunList organizationId={organization.id} />
      )}
    </Page>
  );
}

const tabs = [
  { value: "runs", label: "Runs" },
  { value: "tools", label: "Tools" },
];
