import { useQuery } from "@tanstack/react-query";
import { Card } from "../../parts/card.tsx";
import { membersQuery } from "../../queries.ts";
import { type MyOrganization, managesMembers } from "../../session.ts";

/** For those who may not see the keys: who can help them. */
export function AskAdmin({ organization }: { organization: MyOrganization }) {
  const members = useQuery(membersQuery(organization.id)).data ?? [];
  const names = members.filter(({ role }) => managesMembers(role)).map(({ name }) => name);
  return (
    <Card
      title="Owners and admins manage the keys"
      description="A key can do more than your role allows, so its list is not shown to you."
    >
      <p className="text-sm text-muted wrap-anywhere">
        {names.length > 0 ? `Ask ${list.format(names)} for a key.` : "Ask an owner or an admin for a key."} An AI client
        can also connect without one: it signs in as you, and you approve what it may do.
      </p>
    </Card>
  );
}

const list = new Intl.ListFormat("en", { type: "disjunction" });
