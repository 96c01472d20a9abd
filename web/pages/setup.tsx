import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { api } from "../api.ts";
import { Form } from "../parts/form.tsx";
import { FrontPage } from "../parts/front-page.tsx";
import { NewPasswordField, TextField } from "../parts/text-field.tsx";
import { setupQuery } from "../queries.ts";
import { safeNextPath } from "../safe-next-path.ts";
import { startSession } from "../session.ts";

export function SetupPage() {
  const { setupTokenRequired } = useSuspenseQuery(setupQuery).data;
  const queryClient = useQueryClient();
  const { next } = useSearch({ from: "/setup" });
  const router = useRouter();

  return (
    <FrontPage title="Create the first account" description="You become the owner of the first organization.">
      <Form
        submit="Create account"
        wide
        send={async (field) => {
          await api.setUp({
            name: field("name"),
            email: field("email"),
            password: field("password"),
            organizationName: field("organizationName"),
            ...(setupTokenRequired && { setupToken: field("setupToken") }),
          });
          startSession(queryClient, await api.me());
          router.history.push(safeNextPath(next, location.origin));
        }}
      >
        <TextField label="Your name" name="name" autoComplete="name" maxLength={100} />
        <TextField label="Email" name="email" type="email" autoComplete="email" maxLength={254} />
        <NewPasswordField label="Password" name="password" />
        <TextField
          label="Organization"
          name="organizationName"
          autoComplete="organization"
          maxLength={100}
          hint="Your company, team or project. Others can be invited later."
        />
        {setupTokenRequired && (
          <TextField
            label="Setup token"
            name="setupToken"
            autoComplete="off"
            maxLength={200}
            hint="The server printed it on its console when it started."
          />
        )}
      </Form>
    </FrontPage>
  );
}
