import { useQueryClient } from "@tanstack/react-query";
import { Link, useRouter, useSearch } from "@tanstack/react-router";
import { api } from "../api.ts";
import { Form } from "../parts/form.tsx";
import { FrontPage } from "../parts/front-page.tsx";
import { TextField } from "../parts/text-field.tsx";
import { safeNextPath } from "../safe-next-path.ts";
import { startSession } from "../session.ts";

export function SignInPage() {
  const { next } = useSearch({ from: "/sign-in" });
  const queryClient = useQueryClient();
  const router = useRouter();

  return (
    <FrontPage
      title="Sign in"
      footer={
        <Link to="/forgot-password" className="text-accent underline underline-offset-4">
          Forgot your password?
        </Link>
      }
    >
      <Form
        submit="Sign in"
        wide
        send={async (field) => {
          startSession(queryClient, await api.signIn({ email: field("email"), password: field("password") }));
          router.history.push(safeNextPath(next, location.origin));
        }}
      >
        <TextField label="Email" name="email" type="email" autoComplete="username" maxLength={254} />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" maxLength={128} />
      </Form>
    </FrontPage>
  );
}
