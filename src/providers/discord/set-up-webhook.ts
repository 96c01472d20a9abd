import { createHash } from "node:crypto";
import { nameHost } from "../../base/name-host.ts";
import { Refusal } from "../../base/refusal.ts";
import { type Http, path } from "../../contract/http.ts";
import { textAt } from "../../contract/read.ts";
import { requireProof } from "../../contract/require-proof.ts";
import type { WebhookRegistration } from "../../contract/webhook.ts";

const commandEvent = /^application_command\.([^*]+)$/;
const slashCommand = 1;

export const discordRegistration: WebhookRegistration = {
  place: null,
  async register({ http }, { url, urlStart, events, keepSecret }) {
    const application = await readApplication(http);
    const { id, address } = application;
    // An application has one address: to set another would silently end what is sent to the first.
    if (address !== "" && !address.startsWith(urlStart))
      throw new Refusal(
        "conflict",
        `This application sends its interactions to another address at ${nameHost(address)}. Remove that address first.`,
      );
    // Discord tries the address, with its signature, before it takes it.
    await keepSecret(requireProof("Discord", application.publicKey, "public key"));
    await setAddress(http, url);
    await setCommands(http, id, { urlStart, events });
  },
  async changeEvents({ http }, { urlStart, isAt, events }) {
    const { id, address } = await readApplication(http);
    if (!isAt(address)) return false;
    await setCommands(http, id, { urlStart, events });
    return true;
  },
  async remove({ http }, { urlStart, isAt }) {
    const { id, address } = await readApplication(http);
    // The commands are those of the address that the webhook has by now.
    if (address.startsWith(urlStart) && !isAt(address)) return;
    await setCommands(http, id, { urlStart, events: [] });
    if (isAt(address)) await setAddress(http, null);
  },
};

/** Those that events name; a command of the webhook that none of them names goes. */
async function setCommands(
  http: Http,
  applicationId: string,
  { urlStart, events }: { urlStart: string; events: string[] },
): Promise<void> {
  const description = describe(urlStart);
  const names = new Set(events.flatMap((event) => commandEvent.exec(event)?.[1] ?? []));
  const present = await listCommands(http, applicationId);
  const taken = new Set(present.map((command) => textAt(command, "name")));
  // A command of the same name would be overwritten, and it may be somebody's.
  for (const name of [...names].filter((one) => !taken.has(one)))
    await http.json({
      method: "POST",
      path: commandsOf(applicationId),
      json: { name, type: slashCommand, description },
    });
  for (const command of present)
    if (textAt(command, "description") === description && !names.has(textAt(command, "name") ?? ""))
      await http.send({
        method: "DELETE",
        path: commandsOf(applicationId) + path`/${textAt(command, "id") ?? ""}`,
        alsoAccept: [404],
      });
}

async function readApplication(http: Http) {
  const application = await http.json({ path: "/applications/@me" });
  return {
    id: requireProof("Discord", textAt(application, "id"), "id of the application"),
    address: textAt(application, "interactions_endpoint_url") ?? "",
    publicKey: textAt(application, "verify_key"),
  };
}

const setAddress = async (http: Http, url: string | null): Promise<unknown> =>
  await http.json({
    method: "PATCH",
    path: "/applications/@me",
    json: { interactions_endpoint_url: url },
    repeatable: true,
  });

async function listCommands(http: Http, applicationId: string): Promise<unknown[]> {
  const commands = await http.json({ path: commandsOf(applicationId) });
  return Array.isArray(commands) ? (commands as unknown[]) : [];
}

const commandsOf = (applicationId: string): string => path`/applications/${applicationId}/commands`;

/** Whom a command belongs to can only be told by what people see of it. */
const describe = (urlStart: string): string =>
  `Starts a workflow (${createHash("sha256").update(urlStart).digest("hex").slice(0, 8)}).`;
