import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { InvitationView, Me } from "../../src/identity/wire.ts";
import { api } from "../api.ts";
import { Form } from "../parts/form.tsx";
import { FrontPage } from "../parts/front-page.tsx";
import { Notice } from "../parts/notice.tsx";
import { NewPasswordField, TextField } from "../parts/text-field.tsx";
import { invitationQuery, meQuery } from "../queries.ts";
import { roleNames, startSession } from "../session.ts";

export function InvitationPage() {
  const { invitationId } = useParams({ from: "/invitation/$invitationId" });
  const { token = "" } = useSearch({ from: "/invitation/$invitationId" });
  const invitation = useSuspenseQuery(invitationQuery(invitationId, token)).data;
  const me = useSuspenseQuery(meQuery).data;

  return (
    <FrontPage
      title={`Join ${invitation.organizationName}`}
      description={`${invitation.email} is invited as ${roleNames[invitation.role].toLowerCase()}.`}
    >
      {me ? (
        <AcceptSignedIn invitation={invitation} invitationId={invitationId} token={token} me={me} />
      ) : invitation.accountExists ? (
        <SignInAndAccept invitation={invitation} invitationId={invitationId} token={token} />
      ) : (
        <SignUp invitation={invitation} invitationId={invitationId} token={token} />
      )}
    </FrontPage>
  );
}

type InvitationProps = { invitation: InvitationView; invitationId: string; token: string };

function AcceptSignedIn({ invitation, invitationId, token, me }: InvitationProps & { me: Me }) {
  const enter = useEnterOrganization();
  if (me.user.email !== invitation.email) {
    return (
      <>
        <Notice kind="hint">You are signed in as {me.user.email}. Sign out to use this invitation.</Notice>
        <Form submit="Sign out" wide send={() => api.signOut().then(() => location.reload())} />
      </>
    );
  }
  return (
    <Form
      submit={`Join ${invitation.organizationName}`}
      wide
      send={async () => enter(await api.acceptInvitation(invitationId, { token }), me)}
    />
  );
}

function SignInAndAccept({ invitation, invitationId, token }: InvitationProps) {
  const enter = useEnterOrganization();
  return (
    <Form
      submit="Sign in and join"
      wide
      send={async (field) => {
        const before = await api.signIn({ email: invitation.email, password: field("password") });
        await enter(await api.acceptInvitation(invitationId, { token }), before);
      }}
    >
      <TextField label="Email" name="email" type="email" autoComplete="username" readOnly value={invitation.email} />
      <TextField label="Password" name="password" type="password" autoComplete="current-password" maxLength={128} />
    </Form>
  );
}

function SignUp({ invitation, invitationId, token }: InvitationProps) {
  const enter = useEnterOrganization();
  return (
    <Form
      submit="Create account and join"
      wide
      send={async (field) =>
        enter(await api.signUpByInvitation(invitationId, { token, name: field("name"), password: field("password") }))
      }
    >
      <TextField label="Email" name="email" type="email" autoComplete="username" readOnly value={invitation.email} />
      <TextField label="Your name" name="name" autoComplete="name" maxLength={100} />
      <NewPasswordField label="Password" name="password" />
    </Form>
  );
}

/** Goes to the organization that the person was not a member of before. */
function useEnterOrganization() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async (me: Me, before?: Me) => {
    const known = new Set(before?.organizations.map(({ id }) => id));
    const joined = me.organizations.find(({ id }) => !known.has(id));
    startSession(queryClient, me);
    await (joined
      ? navigate({ to: "/o/$organizationId", params: { organizationId: joined.id } })
      : navigate({ to: "/" }));
  };
}
