import { z } from "zod";
import { pickAction, readOptions, withParts } from "./command-line.ts";

export async function organizations(words: string[]) {
  const { action, rest } = pickAction(words, { list });
  return await action(rest);
}

async function list(words: string[]) {
  readOptions(words, z.object({}));
  return await withParts(({ identity }) => identity.organizations.listAll());
}
