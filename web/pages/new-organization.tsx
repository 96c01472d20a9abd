import { Card } from "../parts/card.tsx";
import { Page } from "../parts/page.tsx";
import { useMe } from "../session.ts";
import { NewOrganizationForm } from "../shell/new-organization-form.tsx";

/** Where people without any organization arrive. */
export function NewOrganizationPage() {
  const { organizations, mayCreateOrganizations } = useMe();
  const belongs = organizations.length > 0;
  if (!mayCreateOrganizations)
    return (
      <Page title="Create an organization">
        <Card
          title="Owners and admins create organizations here"
          description="Ask one of yours to create it and to invite you."
        />
      </Page>
    );
  return (
    <Page
      title="Create an organization"
      description={
        belongs
          ? "You become its owner."
          : "You belong to no organization yet. Create one, or ask someone to invite you to theirs."
      }
    >
      <Card>
        <NewOrganizationForm />
      </Card>
    </Page>
  );
}
