import { queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";
import { isStatus } from "./problem.ts";

export const setupQuery = queryOptions({
  queryKey: ["setup"],
  queryFn: api.setupState,
  staleTime: ({ state }) => (state.data?.needed === false ? Number.POSITIVE_INFINITY : 0),
});

/** Who is signed in; null means nobody. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: () =>
    api.me().catch((error: unknown) => {
      if (isStatus(error, 401)) return null;
      throw error;
    }),
});

export const sessionsQuery = queryOptions({ queryKey: ["sessions"], queryFn: async () => (await api.sessions()).data });

export const membersQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "members"],
    queryFn: () => api.members(organizationId),
  });

export const invitationsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "invitations"],
    queryFn: () => api.invitations(organizationId),
  });

export const invitationQuery = (invitationId: string, token: string) =>
  queryOptions({ queryKey: ["invitation", invitationId, token], queryFn: () => api.invitation(invitationId, token) });

/** Asked again every time: somebody else may have signed in, or the request may be over. */
export const consentQuery = (uid: string) =>
  queryOptions({
    queryKey: ["consent", uid],
    queryFn: () => api.consentRequest(uid),
    staleTime: 0,
    refetchOnWindowFocus: false,
  });

export const connectionsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["organizations", organizationId, "connections"],
    queryFn: async () => (await api.connections(organizationId)).data,
  });

const installationQuery = {
  queryKey: ["server-addresses"],
  queryFn: api.serverAddresses,
  staleTime: Number.POSITIVE_INFINITY,
};

export const serverAddressesQuery = queryOptions({ ...installationQuery, select: ({ data }) => data });

/** What people type before the name of an operator command, which depends on how the server was installed. */
export const commandLineQuery = queryOptions({ ...installationQuery, select: ({ commandLine }) => commandLine });
