import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isApiProblem, isPassing } from "./problem.ts";
import { meQuery } from "./queries.ts";

export function createQueryClient(): QueryClient {
  // A session can end on the server at any time; the pages of signed-in people leave as soon as `me` is null.
  const onError = (error: unknown) => {
    if (isApiProblem(error) && error.code === "not_signed_in") client.setQueryData(meQuery.queryKey, null);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // "always": without a network a request must fail visibly instead of waiting unseen.
      queries: {
        networkMode: "always",
        staleTime: 10_000,
        retryDelay: 500,
        retry: (failures, error) => failures < 1 && isPassing(error),
      },
      mutations: { networkMode: "always" },
    },
  });
  return client;
}
