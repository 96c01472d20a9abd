import { z } from "zod";
import { setupRequest } from "../identity/wire.ts";
import { withParts } from "./command-line.ts";
import { readOptionsWithSecret } from "./secret-option.ts";

const options = z.object({ email: setupRequest.shape.email, password: setupRequest.shape.password });

/** For somebody who is locked out, where no mail is sent. Whoever can run this owns the database anyway. */
export async function setPassword(words: string[]) {
  const account = await readOptionsWithSecret(words, options, { secret: "password", isNeverTyped: true });
  return await withParts(async ({ identity }) => {
    const { userId } = await identity.accounts.setPassword(account);
    return { userId, email: account.email, sessionsEnded: true };
  });
}
