import { runSwitchyard } from "../test/support/spawned-server.ts";

/** The MCP key of a new organization, made with the commands of an operator beside the running server. */
export async function createKey(dataDir: string, organization: string): Promise<string> {
  const run = async (words: string[]) => {
    const { code, stdout, stderr } = await runSwitchyard(words, { SWITCHYARD_DATA_DIR: dataDir });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, string>;
  };
  const owner = [
    "--email",
    `${organization}@example.com`,
    "--password",
    "correct horse battery",
    "--organization",
    organization,
  ];
  const { organizationId = "" } = await run(["setup", ...owner]);
  const { key = "" } = await run([
    "keys",
    "create",
    "--organization",
    organizationId,
    "--name",
    "bench",
    "--scope",
    "mcp:invoke",
  ]);
  return key;
}
