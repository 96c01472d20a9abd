import { z } from "zod";
import { setupRequest } from "../identity/wire.ts";
import { withParts } from "./command-line.ts";
import { readOptionsWithSecret } from "./secret-option.ts";

const options = z.object({
  email: setupRequest.shape.email,
  password: setupRequest.shape.password,
  organization: setupRequest.shape.organizationName,
  name: setupRequest.shape.name,
});

/** An account and an organization it owns. Whoever can run this owns the database anyway, so it also works for a second one. */
export async function setup(words: string[]) {
  const { email, password, organization, name } = await readOptionsWithSecret(words, options, { secret: "password" });
  return await withParts(async ({ identity }) => {
    const { userId, organizationId } = await identity.setup.createOwner({
      name,
      email,
      password,
      organizationName: organization,
    });
    await identity.sessions.endAll(userId);
    return { userId, organizationId };
  });
}
