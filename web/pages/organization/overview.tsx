import type { MyOrganization } from "../../session.ts";
import { SlotGauge } from "./slot-gauge.tsx";
import { UsageReport } from "./usage-report.tsx";

export function Overview({ organization }: { organization: MyOrganization }) {
  return (
    <>
      <SlotGauge organizationId={organization.id} />
      <UsageReport organizationId={organization.id} />
    </>
  );
}
