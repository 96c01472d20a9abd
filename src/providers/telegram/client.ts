import { z } from "zod";
import type { ReadFault, ReadRefusal } from "../../contract/fault.ts";
import { at, textAt } from "../../contract/read.ts";

export const readTelegramRefusal: ReadRefusal = (body) =>
  at(body, "ok") === true ? undefined : { code: textAt(body, "error_code"), message: textAt(body, "description") };

// The error_code is the HTTP status again. To a token that it never gave out Telegram says only that there is nothing there.
export const readTelegramFault: ReadFault = (body, { status }) => ({
  message: textAt(body, "description"),
  isUnauthorized: status === 401 || (status === 404 && textAt(body, "description") === "Not Found"),
});

export const chatId = z
  .union([z.string().min(1), z.int()])
  .describe(
    "Id of the chat, e.g. -1001234567890, or @name of a public channel. The bot sees the id of a chat in what it receives there (getUpdates).",
  );
