import { grantableScopes, type Resources } from "./resources.ts";
import { oauthScopes } from "./wire.ts";

export type NormaliseRequest = ReturnType<typeof createNormaliseRequest>;

/** They belong to OpenID Connect, of which nothing is offered; some clients send them all the same. */
const ignoredParameters = ["nonce", "max_age", "acr_values", "claims", "claims_locales", "id_token_hint"];

/** Puts what clients really send into the one form the library takes. What is wrong stays wrong, for the library to refuse. */
export function createNormaliseRequest(resources: Resources) {
  function replaceResource(parameters: URLSearchParams): string[] {
    const given = parameters.getAll("resource").filter((value) => value !== "");
    const canonical = [...new Set(given.map(resources.canonical))];
    parameters.delete("resource");
    for (const resource of canonical) parameters.append("resource", resource);
    return canonical;
  }

  return {
    authorization(given: URLSearchParams): URLSearchParams {
      const parameters = new URLSearchParams(given);
      for (const name of ignoredParameters) parameters.delete(name);
      const [resource, another] = replaceResource(parameters);
      const server = resource === undefined || another !== undefined ? undefined : resources.serverAt(resource);
      const asked = parameters.getAll("scope").join(" ");
      parameters.delete("scope");
      if (server) parameters.set("scope", grantableScopes(server, asked).join(" "));
      // Kept for the moment when the user picks a server.
      parameters.set("requested_scope", asked.split(/\s+/).filter(isKnownScope).join(" "));
      // The others put the code into fragments and forms, which no client of ours needs.
      if (parameters.has("response_mode") && parameters.get("response_mode") !== "query")
        parameters.set("response_mode", "not_supported");
      return parameters;
    },

    token(given: URLSearchParams): URLSearchParams {
      const parameters = new URLSearchParams(given);
      replaceResource(parameters);
      const [scope, another] = parameters.getAll("scope");
      if (scope !== undefined && another === undefined) {
        const wanted = scope.split(/\s+/).filter((one) => one !== "" && one !== "offline_access");
        parameters.set("scope", wanted.join(" "));
      }
      return parameters;
    },
  };
}

const isKnownScope = (scope: string): boolean => oauthScopes.some((known) => known === scope);
