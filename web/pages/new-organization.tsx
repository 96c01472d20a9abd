import { Card } from "../parts/card.tsx";
import { Page } from "../parts/page.tsx";
import { useMe } from "../session.ts";
import { NewOrganizationForm } from "../shell/new-organization-form.tsx";

/** Where people without any organization arrive. */
export function NewOrganizationPage() {
  const belongs = useMe().organizations.length > 0;
  return (
    <Page
      title="Create an organization"
      description={
        belongs ? "You become its owner." : "You belong to no organization yet. Create one, or ask someone to invite you to theirs."
      }
    >
      <Card>
        <NewOrganizationForm />
      </Card>
    </Page>
  );
}
