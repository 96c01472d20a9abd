import { z } from "zod";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { type Account, withImap, withSmtp } from "./client.ts";

const port = () => z.int().min(1).max(65_535);
const security = () => z.enum(["tls", "starttls", "none"]);

export const emailCredential = defineCredential({
  type: "email",
  title: "Email",
  baseUrl: null,
  variants: {
    custom: withFields("Login", {
      user: z.string().min(1).describe("Login name."),
      password: secret("Password or app password."),
      fromAddress: z.string().min(1).optional().describe("Default sender."),
      smtpHost: z.string().min(1).meta({ title: "SMTP host" }),
      smtpPort: port().default(587).meta({ title: "SMTP port" }),
      smtpSecurity: security().default("starttls").meta({ title: "SMTP security" }),
      imapHost: z.string().min(1).optional().meta({ title: "IMAP host" }).describe("Only needed to search the mailbox."),
      imapPort: port().default(993).meta({ title: "IMAP port" }),
      imapSecurity: security().default("tls").meta({ title: "IMAP security" }),
    }),
  },
  check: async (call) => {
    const credential = call.credential as Account;
    await withSmtp({ ...call, credential }, async (transport) => await transport.verify());
    if (credential.imapHost !== undefined) await withImap({ ...call, credential }, async (client) => client.usable);
  },
});
