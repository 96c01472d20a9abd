import { useQueryClient } from "@tanstack/react-query";
import { api } from "../api.ts";
import { Card } from "../parts/card.tsx";
import { Form } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { NewPasswordField, TextField } from "../parts/text-field.tsx";
import { meQuery, sessionsQuery } from "../queries.ts";
import { useMe } from "../session.ts";
import { SessionList } from "./account/session-list.tsx";

export function AccountPage() {
  const { user } = useMe();
  const queryClient = useQueryClient();

  return (
    <Page title="Account" description="Yours in every organization.">
      <Card title="Profile" description={`You sign in as ${user.email}.`}>
        <Form
          submit="Save"
          done="Saved."
          send={async (field) => {
            await api.changeProfile({ name: field("name") });
            await queryClient.invalidateQueries(meQuery);
          }}
        >
          <TextField label="Name" name="name" autoComplete="name" maxLength={100} defaultValue={user.name} />
        </Form>
      </Card>
      <Card title="Password">
        <Form
          submit="Change password"
          done="Your password is changed."
          clearWhenDone
          send={async (field) => {
            await api.changePassword({ currentPassword: field("currentPassword"), newPassword: field("newPassword") });
            await queryClient.invalidateQueries(sessionsQuery);
          }}
        >
          <TextField
            label="Current password"
            name="currentPassword"
            type="password"
            autoComplete="current-password"
            maxLength={128}
          />
          <NewPasswordField label="New password" name="newPassword" />
        </Form>
      </Card>
      <SessionList />
    </Page>
  );
}
