import { useQuery } from "@tanstack/react-query";
import { credentialsQuery } from "../../api/credentials.ts";

/** The types that an account is connected for; undefined until that is known. */
export function useConnectedTypes(organizationId: string): Set<string> | undefined {
  const credentials = useQuery(credentialsQuery(organizationId)).data;
  return credentials && new Set(credentials.map(({ type }) => type));
}
