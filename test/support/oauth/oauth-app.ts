import { signUpOwner } from "../people.ts";
import { startTestApp } from "../test-app.ts";
import { createOAuthClient } from "./oauth-client.ts";

type Options = NonNullable<Parameters<typeof startTestApp>[0]>;

export type OAuthApp = Awaited<ReturnType<typeof startOAuthApp>>;

/** Limits that no test reaches by accident. */
const limits = {
  RATE_LIMIT_OAUTH_TOKEN_PER_MINUTE: "100000",
  RATE_LIMIT_OAUTH_REGISTRATION_PER_HOUR: "100000",
  RATE_LIMIT_API_KEY_PER_MINUTE: "100000",
};

/** The application with a person who can approve, and a client by hand. */
export async function startOAuthApp(options: Options = {}) {
  const app = await startTestApp({ ...options, environment: { ...limits, ...options.environment } });
  const ann = await signUpOwner(app, "Ann");
  return { app, ann, client: createOAuthClient(app.gatewayUrl), stop: () => app.stop() };
}
