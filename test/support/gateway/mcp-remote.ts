import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

type RpcAnswer = { id: number; result?: Record<string, unknown>; error?: { message: string } };

/** mcp-remote without a key. It finds no browser to open, so whoever holds it visits the address it prints. */
export function startMcpRemote(url: string, callbackPort: number) {
  const home = mkdtempSync(join(tmpdir(), "switchyard-mcp-remote-"));
  const program = fileURLToPath(import.meta.resolve("mcp-remote/dist/proxy.js"));
  const words = [program, url, String(callbackPort), "--allow-http", "--transport", "http-only"];
  const env = { PATH: home, HOME: home, MCP_REMOTE_CONFIG_DIR: home };
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "pipe"], env });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const visit = new Promise<string>((resolve) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const address = /https?:\/\/\S+\/oauth\/authorize\?\S+/.exec(line)?.[0];
      if (address) resolve(address);
    });
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return {
    visit,
    send,
    async ask(message: object): Promise<RpcAnswer> {
      send(message);
      const { value } = await lines.next();
      return value === undefined
        ? { id: 0, error: { message: "mcp-remote has ended" } }
        : (JSON.parse(value) as RpcAnswer);
    },
    /** What it keeps for the next start. */
    kept() {
      const folder = join(home, readdirSync(home).find((name) => name.startsWith("mcp-remote-")) ?? "");
      const read = (ending: string): unknown =>
        JSON.parse(readFileSync(join(folder, readdirSync(folder).find((name) => name.endsWith(ending)) ?? ""), "utf8"));
      return {
        ...(read("_tokens.json") as { access_token: string; refresh_token: string }),
        ...(read("_client_info.json") as { client_id: string }),
      };
    },
    stop() {
      child.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
