import { useQuery } from "@tanstack/react-query";
import { credentialsQuery } from "../../api/credentials.ts";

/** Type to whether one of its accounts can be used; undefined until that is known. */
export type ConnectedTypes = ReadonlyMap<string, boolean> | undefined;

export function useConnectedTypes(organizationId: string): ConnectedTypes {
  const credentials = useQuery(credentialsQuery(organizationId)).data;
  if (!credentials) return undefined;
  const works = new Map<string, boolean>();
  for (const { type, health } of credentials) works.set(type, works.get(type) || health !== "needs_reconnect");
  return works;
}
