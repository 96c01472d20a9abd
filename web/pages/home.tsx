import { Link } from "@tanstack/react-router";
import { BookOpen, ChevronRight, Users } from "lucide-react";
import type { ReactNode } from "react";
import { Card } from "../parts/card.tsx";
import { CopyField } from "../parts/copy-field.tsx";
import { Page } from "../parts/page.tsx";
import { managesMembers, roleDescriptions, roleNames, useOrganization } from "../session.ts";

export function HomePage() {
  const organization = useOrganization();
  const manages = managesMembers(organization.role);

  return (
    <Page
      title={`Welcome to ${organization.name}`}
      description={`Your role: ${roleNames[organization.role].toLowerCase()}. ${roleDescriptions[organization.role]}`}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Link to="/o/$organizationId/members" params={{ organizationId: organization.id }} className={tileLook}>
          <Tile
            icon={<Users className="size-5" aria-hidden="true" />}
            title={manages ? "Invite members" : "See the members"}
            text={
              manages
                ? "Bring in the people you work with and choose what each of them may do."
                : "Who belongs to this organization, and in which role."
            }
          />
        </Link>
        <a href="/docs" className={tileLook}>
          <Tile
            icon={<BookOpen className="size-5" aria-hidden="true" />}
            title="Read the API documentation"
            text="Everything this interface does goes through the platform API. Try each call there."
          />
        </a>
      </div>
      <Card title="Platform API" description="Where programs reach this server.">
        <CopyField label="Address" text={`${location.origin}/api`} />
      </Card>
    </Page>
  );
}

const tileLook = "group rounded-xl border border-line bg-surface p-5 hover:border-accent sm:p-6";

function Tile({ icon, title, text }: { icon: ReactNode; title: string; text: string }) {
  return (
    <span className="flex items-start gap-4">
      <span className="grid size-10 shrink-0 place-items-center rounded-lg bg-accent-soft text-accent">{icon}</span>
      <span className="grid flex-1 gap-1">
        <span className="font-semibold">{title}</span>
        <span className="text-sm text-muted">{text}</span>
      </span>
      <ChevronRight className="size-4 shrink-0 self-center text-muted group-hover:text-accent" aria-hidden="true" />
    </span>
  );
}
