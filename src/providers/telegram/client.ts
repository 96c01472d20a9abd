import { z } from "zod";
import { type ProviderFault, type ReadFault, type ReadRefusal, readVerdict } from "../../contract/fault.ts";
import { numberAt, textAt } from "../../contract/read.ts";
import { refuseInput } from "../../contract/refuse-input.ts";

export const readTelegramRefusal: ReadRefusal = (body) =>
  readVerdict(body, () => ({ code: textAt(body, "error_code"), ...wordsOf(body) }));

// The error_code is the HTTP status again. To a token that it never gave out Telegram says only that there is nothing there.
export const readTelegramFault: ReadFault = (body, { status }) => ({
  ...wordsOf(body),
  isUnauthorized: status === 401 || (status === 404 && textAt(body, "description") === "Not Found"),
});

function wordsOf(body: unknown): ProviderFault {
  const waitSeconds = numberAt(body, "parameters", "retry_after");
  const newChatId = textAt(body, "parameters", "migrate_to_chat_id");
  return {
    message: textAt(body, "description"),
    retryAfterMs: waitSeconds === undefined ? undefined : waitSeconds * 1000,
    isTurnedAway: waitSeconds !== undefined,
    advice: newChatId === undefined ? undefined : `The chat has the id ${newChatId} now`,
  };
}

export const chatId = z
  .union([z.string().min(1), z.int()])
  .describe(
    "Id of the chat, e.g. -1001234567890, or @name of a public channel. The bot sees the id of a chat in what it receives there (getUpdates).",
  );

export const messageThreadId = z
  .int()
  .optional()
  .describe(
    "Topic of the group to send to: the number behind the group in the link of a message in it, e.g. 42 in t.me/c/1234567890/42/77.",
  );

export const buttons = z
  .array(
    z.strictObject({
      text: z.string().min(1).describe("What is on the button."),
      url: z
        .string()
        .min(1)
        .optional()
        .meta({ title: "URL" })
        .describe("Address that it opens. Give this or callbackData."),
      callbackData: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe("What the bot receives when it is pressed, at most 64 bytes. Give this or url."),
      row: z
        .int()
        .min(1)
        .optional()
        .describe("Number of the row it stands in with others; a row of its own when absent."),
    }),
  )
  .optional()
  .describe('Buttons below the message, e.g. [{"text": "Open", "url": "https://example.com"}].');

type Button = { text: string; url: string | undefined; callback_data: string | undefined };

export function toReplyMarkup(given: z.output<typeof buttons>) {
  if (!given?.length) return undefined;
  const rows = new Map<number | string, Button[]>();
  for (const [index, { text, url, callbackData, row = `own ${index}` }] of given.entries()) {
    if ((url === undefined) === (callbackData === undefined))
      throw refuseInput(`/buttons/${index}`, "needs either url or callbackData");
    rows.set(row, [...(rows.get(row) ?? []), { text, url, callback_data: callbackData }]);
  }
  return { inline_keyboard: [...rows.values()] };
}
