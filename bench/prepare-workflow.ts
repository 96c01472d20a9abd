import { writeFileSync } from "node:fs";
import path from "node:path";
import { runSwitchyard } from "../test/support/spawned-server.ts";

export const benchOwner = { email: "ann@example.com", password: "correct horse battery" };

/** A key and a workflow of quick nodes in a row, made with the commands of an operator beside the running server. */
export async function prepareWorkflow(dataDir: string, scopes: string[], nodeCount = 1) {
  const run = async (words: string[]) => {
    const { code, stdout, stderr } = await runSwitchyard(words, { SWITCHYARD_DATA_DIR: dataDir });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, string>;
  };
  const owner = ["--email", benchOwner.email, "--password", benchOwner.password, "--organization", "Bench"];
  const { organizationId = "" } = await run(["setup", ...owner]);
  const named = scopes.flatMap((scope) => ["--scope", scope]);
  const { key = "" } = await run(["keys", "create", "--organization", organizationId, "--name", "bench", ...named]);
  const file = path.join(dataDir, "workflow.json");
  const ids = Array.from({ length: nodeCount }, (_, index) => `n${index}`);
  const canvas = {
    nodes: ids.map((id) => ({ id, nodeId: "system_date_time", parameters: {} })),
    edges: ids.slice(1).map((target, index) => ({ id: `e${index}`, source: ids[index], target })),
  };
  writeFileSync(
    file,
    JSON.stringify({ format: "switchyard.workflow", formatVersion: 1, name: "Bench", description: "", canvas }),
  );
  const { id: workflowId = "" } = await run(["workflows", "import", "--organization", organizationId, "--file", file]);
  return { key, workflowId, organizationId };
}
