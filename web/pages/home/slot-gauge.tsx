import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { slotsQuery } from "../../api/organization.ts";

/** How many of the organization's slots are in use, and who waits for one. */
export function SlotGauge({ organizationId }: { organizationId: string }) {
  const slots = useQuery(slotsQuery(organizationId)).data;
  if (!slots) return null;
  const { inUse, cap, waiting } = slots;
  return (
    <Link
      to="/o/$organizationId/organization"
      params={{ organizationId }}
      className="-mx-2 grid w-44 gap-1.5 rounded-lg px-2 py-1 text-sm text-muted hover:bg-hover"
    >
      <span className="flex justify-between gap-2">
        <span>
          {inUse} of {cap} slots in use
        </span>
        {waiting > 0 && <span className="text-warning">{waiting} waiting</span>}
      </span>
      <span className="h-1.5 overflow-hidden rounded-full bg-line" aria-hidden="true">
        <span
          className={`block h-full rounded-full ${waiting > 0 ? "bg-warning" : "bg-accent"}`}
          style={{ width: `${Math.min(100, (inUse / cap) * 100)}%` }}
        />
      </span>
    </Link>
  );
}
