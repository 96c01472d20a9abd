import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api.ts";
import { Form } from "../parts/form.tsx";
import { FrontPage } from "../parts/front-page.tsx";
import { Notice } from "../parts/notice.tsx";
import { NewPasswordField } from "../parts/text-field.tsx";

export function ResetPasswordPage() {
  const { token } = useSearch({ from: "/reset-password" });
  const [changed, setChanged] = useState(false);

  return (
    <FrontPage
      title="Choose a new password"
      footer={
        <Link to={changed ? "/sign-in" : "/forgot-password"} className="text-accent underline underline-offset-4">
          {changed ? "Sign in" : "Ask for a new link"}
        </Link>
      }
    >
      {changed && <Notice kind="success">Your password is changed. Sign in with the new one.</Notice>}
      {!changed && !token && (
        <Notice kind="problem">This link is not complete. Open it again from the mail, or ask for a new one.</Notice>
      )}
      {!changed && token && (
        <Form
          submit="Change password"
          wide
          send={async (field) => {
            await api.confirmPasswordReset({ token, newPassword: field("newPassword") });
            setChanged(true);
          }}
        >
          <NewPasswordField label="New password" name="newPassword" />
        </Form>
      )}
    </FrontPage>
  );
}
