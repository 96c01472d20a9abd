import type { Role } from "../../src/identity/wire.ts";
import type { TestApp } from "./test-app.ts";

export const password = "correct horse battery";

/** A signed-in person who owns a new organization. */
export async function signUpOwner(app: Pick<TestApp, "parts" | "browser">, name: string) {
  const email = `${name.toLowerCase()}@example.com`;
  const { userId, organizationId } = await app.parts.identity.setup.createOwner({
    name,
    email,
    password,
    organizationName: `${name}'s team`,
  });
  return { ...(await signIn(app, email)), userId, organizationId };
}

/** A signed-in person who belongs to somebody's organization with a role. */
export async function signUpMember(
  app: Pick<TestApp, "parts" | "browser">,
  organizationId: string,
  name: string,
  role: Role,
) {
  const email = `${name.toLowerCase()}@example.com`;
  const { userId } = await app.parts.identity.accounts.create({ name, email, password });
  const { id } = await app.parts.identity.organizations.addMember(organizationId, email, role);
  return { ...(await signIn(app, email)), userId, memberId: id };
}

export async function signIn(app: Pick<TestApp, "browser">, email: string) {
  const browser = app.browser();
  const { status } = await browser.post("/api/sign-in", { email, password });
  if (status !== 200) throw new Error(`signing in as ${email} answered ${status}`);
  return { browser, email };
}
