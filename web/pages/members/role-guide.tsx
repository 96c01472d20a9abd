import { Card } from "../../parts/card.tsx";
import { grantableRoles, roleDescriptions, roleNames } from "../../session.ts";

/** What somebody of each role may do. */
export function RoleGuide() {
  return (
    <Card title="Roles">
      <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[max-content_minmax(0,1fr)]">
        {grantableRoles("owner").map((role) => (
          <div key={role} className="contents">
            <dt className="font-medium">{roleNames[role]}</dt>
            <dd className="text-muted">{roleDescriptions[role]}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
