import type { Report, ServerAddress } from "../src/doctor/wire.ts";
import type {
  CreatedInvitation,
  InvitationView,
  Me,
  Member,
  Organization,
  Role,
  SessionEntry,
  SetupRequest,
  SetupState,
} from "../src/identity/wire.ts";
import type { Connection, ConsentAnswer, ConsentDecision, ConsentRequest } from "../src/oauth/wire.ts";
import { createRequests, type List, path, type Send } from "./request.ts";

export type Invitation = Omit<CreatedInvitation, "link">;

/** The platform API: accounts, members and connected applications. What else there is has a file of its own in `api/`. */
export const api = createApi((path, init) => fetch(path, init));

export function createApi(send: Send) {
  const { get, getAll, post, patch, remove } = createRequests(send);

  return {
    setupState: () => get<SetupState>("/api/setup"),
    setUp: (body: SetupRequest) => post<{ userId: string; organizationId: string }>("/api/setup", body),

    signIn: (body: { email: string; password: string }) => post<Me>("/api/sign-in", body),
    signOut: () => post<void>("/api/sign-out"),
    requestPasswordReset: (body: { email: string }) => post<void>("/api/password-reset", body),
    confirmPasswordReset: (body: { token: string; newPassword: string }) =>
      post<void>("/api/password-reset/confirm", body),

    me: () => get<Me>("/api/me"),
    changeProfile: (body: { name: string }) => patch<unknown>("/api/me", body),
    changePassword: (body: { currentPassword: string; newPassword: string }) => post<void>("/api/me/password", body),
    sessions: () => get<List<SessionEntry>>("/api/me/sessions"),
    endSession: (sessionId: string) => remove(path`/api/me/sessions/${sessionId}`),
    endOtherSessions: () => remove("/api/me/sessions"),

    createOrganization: (body: { name: string }) => post<Organization>("/api/organizations", body),
    members: (organizationId: string) => getAll<Member>(path`/api/organizations/${organizationId}/members`),
    changeMember: (organizationId: string, memberId: string, body: { role: Role }) =>
      patch<unknown>(path`/api/organizations/${organizationId}/members/${memberId}`, body),
    removeMember: (organizationId: string, memberId: string) =>
      remove(path`/api/organizations/${organizationId}/members/${memberId}`),
    leaveOrganization: (organizationId: string) => remove(path`/api/organizations/${organizationId}/members/me`),
    invitations: (organizationId: string) => getAll<Invitation>(path`/api/organizations/${organizationId}/invitations`),
    invite: (organizationId: string, body: { email: string; role: Role }) =>
      post<CreatedInvitation>(path`/api/organizations/${organizationId}/invitations`, body),
    withdrawInvitation: (organizationId: string, invitationId: string) =>
      remove(path`/api/organizations/${organizationId}/invitations/${invitationId}`),

    consentRequest: (uid: string) => get<ConsentRequest>(path`/api/oauth/consent-requests/${uid}`),
    decideConsent: (uid: string, body: ConsentDecision) =>
      post<ConsentAnswer>(path`/api/oauth/consent-requests/${uid}/decision`, body),
    connections: (organizationId: string) =>
      get<List<Connection>>(path`/api/organizations/${organizationId}/connections`),
    endConnection: (organizationId: string, connectionId: string) =>
      remove(path`/api/organizations/${organizationId}/connections/${connectionId}`),
    serverAddresses: () => get<List<ServerAddress> & { commandLine: string }>("/api/doctor/servers"),
    examine: (body: { url: string; organizationId?: string }) => post<Report>("/api/doctor", body),

    invitation: (invitationId: string, token: string) =>
      get<InvitationView>(path`/api/invitations/${invitationId}?token=${token}`),
    acceptInvitation: (invitationId: string, body: { token: string }) =>
      post<Me>(path`/api/invitations/${invitationId}/accept`, body),
    signUpByInvitation: (invitationId: string, body: { token: string; name: string; password: string }) =>
      post<Me>(path`/api/invitations/${invitationId}/sign-up`, body),
  };
}
