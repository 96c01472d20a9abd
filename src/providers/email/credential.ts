import { z } from "zod";
import { defineCredential, secret, withFields, withOAuth2 } from "../../contract/credential.ts";
import { withGoogleOAuth2 } from "../_google/oauth2.ts";
import { toEmailCall, withImap, withSmtp } from "./client.ts";

const port = () => z.int().min(1).max(65_535);
const host = () => z.string().min(1);
const fromAddress = () => z.string().min(1).optional().describe("Default sender.");

/** In the words of the vendor. */
const microsoftScopes = {
  offline_access: "Maintain access to data you have given it access to.",
  "https://outlook.office.com/IMAP.AccessAsUser.All": "Read and write access to your mail.",
  "https://outlook.office.com/SMTP.Send": "Access to sending emails from your mailbox.",
};

export const emailCredential = defineCredential({
  type: "email",
  title: "Email",
  baseUrl: null,
  usualKind: "custom",
  variants: {
    custom: withFields("Password", {
      user: z.string().min(1).describe("Login name."),
      password: secret("Password or app password. Microsoft 365 and Outlook.com take none: sign in with Microsoft."),
      fromAddress: fromAddress(),
      smtpHost: host().meta({ title: "SMTP host" }),
      smtpPort: port().default(587).meta({ title: "SMTP port" }),
      smtpSecurity: z.enum(["tls", "starttls", "none"]).default("starttls").meta({ title: "SMTP security" }),
      imapHost: host().optional().meta({ title: "IMAP host" }).describe("Only needed to search the mailbox."),
      imapPort: port().default(993).meta({ title: "IMAP port" }),
      imapSecurity: z.enum(["tls", "starttls", "none"]).default("tls").meta({ title: "IMAP security" }),
    }),
    google: notOverHttp(
      withGoogleOAuth2(["https://mail.google.com/"], {
        title: "Google",
        clientName: "email_google",
        fields: fieldsFor({ smtpHost: "smtp.gmail.com", imapHost: "imap.gmail.com" }),
      }),
    ),
    microsoft: notOverHttp(
      withOAuth2({
        title: "Microsoft",
        clientName: "email_microsoft",
        authorizeUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize",
        tokenUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
        scopes: Object.keys(microsoftScopes),
        knownScopes: microsoftScopes,
        advice:
          "An administrator of Microsoft 365 may have to switch “Authenticated SMTP” on for the mailbox. For Outlook.com, POP and IMAP are switched on in the settings of the mailbox.",
        pkce: true,
        fields: {
          tenant: z
            .string()
            .min(1)
            .default("common")
            .describe("Id or domain of the directory; common for any account."),
          ...fieldsFor({ smtpHost: "smtp.office365.com", imapHost: "outlook.office365.com" }),
        },
      }),
    ),
  },
  check: async (given) => {
    const call = toEmailCall(given);
    await withSmtp(call, async (transport) => await transport.verify());
    if (call.credential.imapHost !== undefined) await withImap(call, async (client) => client.usable);
  },
});

/** Its token goes to the mail servers of the account and nowhere else. */
function notOverHttp<Variant extends { authorize: unknown }>({
  authorize: _,
  ...variant
}: Variant): Omit<Variant, "authorize"> {
  return variant;
}

/** A token is never sent in the clear. */
function fieldsFor(hosts: { smtpHost: string; imapHost: string }) {
  const security = () => z.enum(["tls", "starttls"]);
  return {
    user: z.string().min(1).describe("Address of the mailbox, e.g. ann@example.com. Sign in as this user."),
    fromAddress: fromAddress(),
    smtpHost: host().default(hosts.smtpHost).meta({ title: "SMTP host" }),
    smtpPort: port().default(587).meta({ title: "SMTP port" }),
    smtpSecurity: security().default("starttls").meta({ title: "SMTP security" }),
    imapHost: host().default(hosts.imapHost).meta({ title: "IMAP host" }),
    imapPort: port().default(993).meta({ title: "IMAP port" }),
    imapSecurity: security().default("tls").meta({ title: "IMAP security" }),
  };
}
