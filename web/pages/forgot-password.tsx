import { Link } from "@tanstack/react-router";
import { api } from "../api.ts";
import { Form } from "../parts/form.tsx";
import { FrontPage } from "../parts/front-page.tsx";
import { TextField } from "../parts/text-field.tsx";

export function ForgotPasswordPage() {
  return (
    <FrontPage
      title="Forgot your password?"
      description="Enter the email of your account. If it is known here, a link to choose a new password is mailed to it."
      footer={
        <Link to="/sign-in" className="text-accent underline underline-offset-4">
          Back to sign-in
        </Link>
      }
    >
      <Form
        submit="Send the link"
        wide
        done="If an account has this email, the link is on its way. No mail? Ask whoever runs this server."
        send={(field) => api.requestPasswordReset({ email: field("email") })}
      >
        <TextField label="Email" name="email" type="email" autoComplete="username" maxLength={254} />
      </Form>
    </FrontPage>
  );
}
