import { z } from "zod";
import { defineCredential, secret, withFields } from "../../contract/credential.ts";
import { joinSentences, type ProviderFault } from "../../contract/fault.ts";
import { listAt, numberAt, recordAt, textAt } from "../../contract/read.ts";
import { listChannels } from "./list-channels.ts";

export const discordCredential = defineCredential({
  type: "discord_bot",
  title: "Discord",
  baseUrl: "https://discord.com/api/v10",
  // Discord turns away bots that do not name themselves in this form.
  headers: { "User-Agent": "DiscordBot (switchyard, 1)" },
  variants: {
    apiKey: withFields(
      "Bot token",
      {
        botToken: secret("Bot token."),
        applicationPublicKey: z.string().optional().describe("Public key that verifies incoming interactions."),
      },
      ({ botToken }) => ({ headers: { authorization: `Bot ${botToken}` } }),
    ),
  },
  readFault: readDiscordFault,
  check: async ({ http }) => void (await http.json({ path: "/users/@me" })),
  choices: { channels: { load: listChannels } },
});

function readDiscordFault(body: unknown, response: Response): ProviderFault {
  const waitSeconds = response.status === 429 ? numberAt(body, "retry_after") : undefined;
  const words = [textAt(body, "message"), ...fieldFaults(recordAt(body, "errors"))];
  return {
    code: textAt(body, "code"),
    message: joinSentences(words),
    retryAfterMs: waitSeconds === undefined ? undefined : waitSeconds * 1000,
  };
}

/** What is wrong with which field: the errors are nested like the body, with a list of messages at each end. */
function fieldFaults(errors: Record<string, unknown> | undefined, name = ""): string[] {
  return Object.keys(errors ?? {}).flatMap((key) => {
    if (key === "_errors") return listAt(errors, key).map((fault) => `${name}: ${textAt(fault, "message") ?? ""}`);
    return fieldFaults(recordAt(errors, key), name === "" ? key : `${name}.${key}`);
  });
}
