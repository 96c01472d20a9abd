import type { z } from "zod";
import { withOAuth2 } from "../../contract/credential.ts";
import { knownScopes } from "./known-scopes.ts";
import { withGoogleServiceAccount } from "./robot-key.ts";

export const googleTokenUrl = "https://oauth2.googleapis.com/token";

/** One token serves all of Google's services whose scopes it has, and each has a host of its own. */
export const googleOrigins = ["www", "docs", "drive", "forms", "gmail", "people", "sheets", "slides", "tasks"].map(
  (name) => `https://${name}.googleapis.com`,
);

/** The ways in to each of Google's services. */
export const googleVariants = (scopes: string[]) => ({
  oauth2: withGoogleOAuth2(scopes),
  serviceAccount: withGoogleServiceAccount(scopes),
});

type Further<Shape extends z.ZodRawShape> = { title?: string; clientName?: string; fields?: Shape };

/** Google gives a refresh token only to those who ask for offline access and consent. */
export const withGoogleOAuth2 = <Shape extends z.ZodRawShape = Record<never, never>>(
  scopes: string[],
  further: Further<Shape> = {},
) =>
  withOAuth2<Shape>({
    ...further,
    authorizeUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: googleTokenUrl,
    authorizeParams: { access_type: "offline", prompt: "consent", include_granted_scopes: "true" },
    scopes,
    knownScopes,
    advice:
      "While the consent screen of your Google project is in “Testing”, Google ends every connection after seven days. Publish it, or make it internal to your Workspace.",
    pkce: true,
  });
