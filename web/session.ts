import type { QueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { createContext, use } from "react";
import type { Me, Role } from "../src/identity/wire.ts";
import { browserStorage } from "./browser-storage.ts";
import { meQuery, setupQuery } from "./queries.ts";

/** The person who is signed in. Only for what is shown below the `signed-in` route. */
export function useMe(): Me {
  const me = use(SignedInPerson);
  if (!me) throw new Error("This page is only for people who are signed in.");
  return me;
}

/** Handed down by the `signed-in` route, so that no page sees the end of the session before the route does. */
export const SignedInPerson = createContext<Me | null>(null);

/** The organization of the address. Only for pages below `/o/$organizationId`. */
export function useOrganization(): MyOrganization {
  const { organizationId } = useParams({ strict: false });
  const organization = useMe().organizations.find(({ id }) => id === organizationId);
  if (!organization) throw new Error("You are not a member of this organization.");
  return organization;
}

export type MyOrganization = Me["organizations"][number];

export function findHomeOrganization(me: Me): MyOrganization | undefined {
  const last = browserStorage.read("switchyard.organization");
  return me.organizations.find(({ id }) => id === last) ?? me.organizations[0];
}

export function rememberOrganization(organizationId: string): void {
  browserStorage.write("switchyard.organization", organizationId);
}

/** While this mutation is under way no page is shown, so that none asks for something that it would be refused. */
export const signOutKey = ["sign-out"];

/** Forgets everything loaded for whoever was here before. */
export function startSession(queryClient: QueryClient, me: Me): void {
  queryClient.clear();
  queryClient.setQueryData(setupQuery.queryKey, { needed: false, setupTokenRequired: false });
  queryClient.setQueryData(meQuery.queryKey, me);
}

export const roleDescriptions: Record<Role, string> = {
  owner: "Owners manage everything, including other owners.",
  admin: "Admins manage members, API keys and credentials.",
  member: "Members build and run workflows and use credentials.",
  viewer: "Viewers read workflows and history.",
};

export const roleNames: Record<Role, string> = { owner: "Owner", admin: "Admin", member: "Member", viewer: "Viewer" };

export function managesMembers(role: Role): boolean {
  return role === "owner" || role === "admin";
}

/** The roles that someone of this role may hand out: only owners make owners. */
export function grantableRoles(role: Role): Role[] {
  return role === "owner" ? ["owner", "admin", "member", "viewer"] : ["admin", "member", "viewer"];
}
