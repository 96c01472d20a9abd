import { runCommand } from "./cli.ts";

const [command = "help", ...words] = process.argv.slice(2);
// Loaded when asked for, so that the other commands do not wait for the whole server.
if (command === "serve") await (await import("./commands/serve.ts")).serve(words);
else process.exitCode = await runCommand(command, words);
