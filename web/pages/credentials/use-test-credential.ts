import { useMutation, useQueryClient } from "@tanstack/react-query";
import { credentialsKey, testCredential } from "../../api/credentials.ts";

/** Asks the provider whether it accepts the credential. */
export function useTestCredential(organizationId: string, credentialId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => testCredential(organizationId, credentialId),
    onSettled: () => queryClient.invalidateQueries({ queryKey: credentialsKey(organizationId) }),
  });
}
