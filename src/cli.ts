import { commandLine } from "./base/own-files.ts";
import { describeFailure } from "./commands/describe-failure.ts";

/** Runs one operator command: JSON on stdout, or a clear line on stderr and an exit code that is not 0. */
export async function runCommand(command: string, words: string[]): Promise<number> {
  if (command === "help" || command === "--help") {
    process.stderr.write(`${usage}\n`);
    return 0;
  }
  const load = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!load) {
    process.stderr.write(`There is no such command; say one of: serve, ${Object.keys(commands).join(", ")}, help\n`);
    return 2;
  }
  try {
    const run = await load();
    process.stdout.write(`${JSON.stringify(await run(words), null, 2)}\n`);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    process.stderr.write(`${command}: ${describeFailure(error)}\n`);
    return 1;
  }
}

export type Command = (words: string[]) => Promise<unknown>;

// Loaded when asked for, so that a short command starts quickly.
const commands: Record<string, () => Promise<Command>> = {
  setup: async () => (await import("./commands/setup.ts")).setup,
  keys: async () => (await import("./commands/keys.ts")).keys,
  members: async () => (await import("./commands/members.ts")).members,
  "set-password": async () => (await import("./commands/set-password.ts")).setPassword,
  organizations: async () => (await import("./commands/organizations.ts")).organizations,
  credentials: async () => (await import("./commands/credentials.ts")).credentials,
  workflows: async () => (await import("./commands/workflows.ts")).workflows,
  variables: async () => (await import("./commands/variables.ts")).variables,
  triggers: async () => (await import("./commands/triggers.ts")).triggers,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  "rotate-master-key": async () => (await import("./commands/rotate-master-key.ts")).rotateMasterKey,
  backup: async () => (await import("./commands/backup.ts")).backup,
  restore: async () => (await import("./commands/restore.ts")).restore,
  migrate: async () => (await import("./commands/migrate.ts")).migrateDatabase,
};

const usage = `Usage: ${commandLine} <command>

  serve [--roles platform,gateway,worker]
  setup --email E --password P --organization NAME [--name N]
  set-password --email E --password -
  organizations list
  organizations set-plan --organization ID --plan P
  keys create --organization ID --name N --scope S [--scope S] [--expires-at TIME] [--tool-rule P]
  keys list --organization ID
  keys regenerate --organization ID --id KEY
  keys delete --organization ID --id KEY
  members list --organization ID
  members add --organization ID --email E --role R [--name N --password P]
  members set-role --organization ID --id MEMBER --role R
  members remove --organization ID --id MEMBER
  credentials create --organization ID --type T --name N --data JSON [--default]
  credentials list --organization ID
  credentials delete --organization ID --id CREDENTIAL
  workflows list --organization ID [--search TEXT] [--folder F] [--tag T]
  workflows export --organization ID --id WORKFLOW
  workflows import --organization ID --file PATH [--name N] [--draft] [--from n8n] [--check]
  workflows create --organization ID --data JSON [--draft]
  workflows update --organization ID --id WORKFLOW --data JSON [--draft]
  workflows draft --organization ID --id WORKFLOW [--discard]
  workflows publish --organization ID --id WORKFLOW [--note TEXT] [--expected-version N] [--off]
  workflows compare --organization ID --id WORKFLOW [--from V] [--to V]
  workflows versions --organization ID --id WORKFLOW
  workflows rollback --organization ID --id WORKFLOW --version N [--note TEXT]
  variables list --organization ID
  variables set --organization ID --name N --value JSON
  variables remove --organization ID --name N
  triggers list --organization ID [--workflow WORKFLOW] [--failing]
  triggers get --organization ID --id TRIGGER
  triggers create --organization ID --data JSON
  triggers update --organization ID --id TRIGGER --data JSON
  triggers delete --organization ID --id TRIGGER
  triggers test --organization ID --id TRIGGER [--data JSON]
  triggers poll --organization ID --id TRIGGER
  doctor --url SERVER_URL [--key KEY]
  rotate-master-key
  backup --file PATH
  restore --file PATH [--overwrite]
  migrate

A secret need not stand on the command line: --password -, --data - and --key - read it from standard input,
--password-file, --data-file and --key-file PATH from a file.

Answers are JSON. Scopes: workflows:trigger, mcp:invoke. Roles: owner, admin, member, viewer.`;
