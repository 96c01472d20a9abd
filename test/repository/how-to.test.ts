import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { loadProviders } from "../../src/catalog/load-providers.ts";
import { readConfig } from "../../src/config.ts";
import { readBlocks } from "../support/documents/document-blocks.ts";
import { runDocument } from "../support/documents/run-document.ts";
import { freePort } from "../support/free-port.ts";
import { describeWithProgram, startCaddy, startNginx } from "../support/providers/real-servers.ts";
import { createDataDir, type SpawnedServer, spawnSwitchyard, startServer } from "../support/spawned-server.ts";
import { createTestDatabase } from "../support/storage/test-database.ts";

// The commands of the pages, as a reader pastes them: in a shell, with the command line of a checkout, against a server that is a process of its own.

const password = "correct horse battery";
const root = path.resolve(import.meta.dirname, "../..");
const scratch = mkdtempSync(path.join(tmpdir(), "switchyard-pages-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What docs/README.md tells the reader of a checkout to paste first. */
const [, prelude = ""] = /\| `(switchyard\(\) \{ \(cd [^`]*)` \|/.exec(readFileSync("docs/README.md", "utf8")) ?? [];

/** With time enough to make a database first on a machine that has much else to do. */
const runSwitchyard = (words: string[], environment: Record<string, string>, input = "") =>
  spawnSwitchyard(words, { environment, input, limitMs: 60_000 }).ended;

let folders = 0;
function newFolder(): string {
  const folder = path.join(scratch, String(++folders));
  mkdirSync(folder);
  return folder;
}

/** A checkout of somebody's own: this one, but with settings in `.env` that lead to the server of the test. */
function createCheckout(settings: Record<string, string>): string {
  const checkout = newFolder();
  for (const name of readdirSync(root))
    if (!name.startsWith(".")) symlinkSync(path.join(root, name), path.join(checkout, name));
  writeFileSync(
    path.join(checkout, ".env"),
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  return checkout;
}

const blocksOf = (page: string) => readBlocks(readFileSync(page, "utf8"));
const fileOf = (page: string, name: string) =>
  blocksOf(page).find(({ words }) => words.includes(`file=${name}`))?.text ?? "";

/** Pages with commands that need a vendor, Docker or a cluster; test/commands/deploy.test.ts checks what they name. */
const withoutCommands = ["docs/how-to/kubernetes.md"];
const alone = ["docs/how-to/external-postgresql.md", "docs/how-to/own-domain.md"];
const pages = [...globSync("docs/how-to/*.md"), "docs/backup.md"]
  .filter((page) => ![...withoutCommands, ...alone].includes(page))
  .sort();

describeWithProgram(["jq", "curl"], "the commands of a page", () => {
  const data = createDataDir();
  let server: SpawnedServer;
  let checkout: string;

  beforeAll(async () => {
    server = await startServer({ dataDir: data.dataDir, environment: { RATE_LIMIT_SIGN_IN_PER_MINUTE: "1000" } });
    const settings = { SWITCHYARD_DATA_DIR: data.dataDir };
    checkout = createCheckout(settings);
    // Others add people and organizations: each page finds what its reader has, one organization with one owner.
    const first = ["setup", "--email", "ann@example.com", "--password", password, "--organization", "Northern Railway"];
    expect((await runSwitchyard(first, settings)).code).toBe(0);
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    await data.remove();
  });

  it.each(pages)(
    "of %s do what it says",
    async (page) => {
      await runSwitchyard(
        ["set-password", "--email", "ann@example.com", "--password", "-"],
        { SWITCHYARD_DATA_DIR: data.dataDir },
        password,
      );
      const backups = newFolder();
      await runDocument(page, {
        folder: newFolder(),
        environment: {},
        prelude,
        replace: {
          "localhost:3000": `localhost:${server.ports.platform}`,
          "localhost%3A3000": `localhost%3A${server.ports.platform}`,
          "localhost:3100": `localhost:${server.ports.gateway}`,
          "/srv/switchyard": checkout,
          "/backups": backups,
          // Where the Node.js of this test is, which cron would not find.
          "PATH=/usr/local/bin:": `PATH=${path.dirname(process.execPath)}:/usr/local/bin:`,
        },
      });
    },
    300_000,
  );
});

describeWithProgram("jq", "docs/how-to/external-postgresql.md", () => {
  it("moves an installation with what it says", async () => {
    const data = createDataDir();
    const database = await createTestDatabase({ isBlank: true });
    onTestFinished(async () => {
      await data.remove();
      await database.drop();
    });
    const settings = { SWITCHYARD_DATA_DIR: data.dataDir };
    const first = ["setup", "--email", "ann@example.com", "--password", password, "--organization", "Northern Railway"];
    expect((await runSwitchyard(first, settings)).code).toBe(0);
    await runDocument("docs/how-to/external-postgresql.md", {
      folder: newFolder(),
      environment: {},
      prelude,
      replace: {
        "postgres://switchyard:PASSWORD@db.example.com/switchyard": `'${database.url}'`,
        "/srv/switchyard": createCheckout(settings),
        "/backups": newFolder(),
      },
    });
    const names = await database.query("SELECT name FROM organization");
    expect(names).toEqual([{ name: "Northern Railway" }]);
  }, 300_000);
});

describe("docs/how-to/update.md", () => {
  it("goes back to the state of the backup, with what it says", async () => {
    const data = createDataDir();
    onTestFinished(data.remove);
    const settings = { SWITCHYARD_DATA_DIR: data.dataDir };
    const backups = newFolder();
    const command = async (...words: string[]) => {
      const { code, stdout, stderr } = await runSwitchyard(words, settings);
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout);
    };
    const setUp = (email: string, organization: string) =>
      command("setup", "--email", email, "--password", password, "--organization", organization);
    await setUp("ann@example.com", "Northern Railway");
    await command("backup", "--file", path.join(backups, "before-update.backup"));
    await setUp("bo@example.com", "Made after the backup");
    await runDocument("docs/how-to/update.md", {
      folder: newFolder(),
      environment: {},
      prelude,
      mark: "run-stopped",
      replace: { "/srv/switchyard": createCheckout(settings), "/backups": backups },
    });
    const left = await command("organizations", "list");
    expect(left.map(({ name }: { name: string }) => name)).toEqual(["Northern Railway"]);
  }, 300_000);
});

describe("docs/how-to/connect-accounts.md", () => {
  it("names types of accounts that are connected by OAuth", async () => {
    const page = readFileSync("docs/how-to/connect-accounts.md", "utf8");
    const [, list = ""] = /The middle of the name is the type of the account: (.*)\./.exec(page) ?? [];
    const named = [...list.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name.toLowerCase());
    expect(named).toContain("github");
    const { credentialTypes } = createCatalog(await loadProviders(), readConfig({}).models);
    for (const type of named)
      expect(
        credentialTypes.get(type)?.definition.variants.some(({ oauth2 }) => oauth2),
        type,
      ).toBe(true);
  });
});

describe("what CI is told in docs/how-to/call-from-ci.md", () => {
  const page = "docs/how-to/call-from-ci.md";
  const asked = [...fileOf(page, "run-workflow.sh").matchAll(/\$\{?([A-Z_]{3,})/g)].map(([, name]) => name);

  it("is YAML, and names the variables that the script reads", () => {
    const github = parse(fileOf(page, "github.yaml"));
    const [checkout, step] = github.jobs.report.steps;
    expect([checkout.uses, step.run]).toEqual([
      expect.stringMatching(/^actions\/checkout@v\d/),
      expect.stringMatching(/^sh run-workflow\.sh "\$WORKFLOW_ID"/),
    ]);
    const gitlab = parse(fileOf(page, "gitlab.yaml")).report;
    expect(gitlab.script[0]).toMatch(/^sh run-workflow\.sh "\$WORKFLOW_ID"/);
    for (const name of new Set(asked)) expect(Object.keys(step.env)).toContain(name);
    for (const name of Object.keys(gitlab.variables)) expect(asked).toContain(name);
  });
});

const domain = "docs/how-to/own-domain.md";

type Inside = { platform: number; gateway: number };
type Files = { certificate: string; key: string };
type Settings = { text: string; inside: Inside; doors: [number, number]; files: Files };

const leadTo = (text: string, { platform, gateway }: Inside) =>
  text.replaceAll("127.0.0.1:3000", `127.0.0.1:${platform}`).replaceAll("127.0.0.1:3100", `127.0.0.1:${gateway}`);

/** The same settings with the names, ports and certificates of this machine. */
const adapt = {
  nginx({ text, inside, doors, files }: Settings): string {
    let door = 0;
    const adapted = text
      .replace(/server \{\n {2}listen 80;[\s\S]*?\n\}\n/, "")
      .replaceAll(/^ *listen \[::\].*\n/gm, "")
      .replaceAll("listen 443 ssl;", () => `listen 127.0.0.1:${doors[door++]} ssl;`)
      .replaceAll(/ssl_certificate .*;/g, `ssl_certificate ${files.certificate};`)
      .replaceAll(/ssl_certificate_key .*;/g, `ssl_certificate_key ${files.key};`)
      .replaceAll("include snippets/switchyard.conf;", readFileSync("deploy/nginx-snippet.conf", "utf8"));
    return leadTo(adapted, inside);
  },
  caddy({ text, inside, doors, files }: Settings): string {
    let door = 0;
    const site = () => `https://localhost:${doors[door++]} {\n\ttls ${files.certificate} ${files.key}`;
    return leadTo(text.replaceAll(/^[\w.]+\.example\.com \{$/gm, site), inside);
  },
};

const proxies = {
  nginx: {
    start: startNginx,
    settings: { two: readFileSync("deploy/nginx-one-machine.conf", "utf8"), one: fileOf(domain, "one-name.conf") },
  },
  caddy: {
    start: startCaddy,
    settings: { two: fileOf(domain, "Caddyfile"), one: fileOf(domain, "Caddyfile.one-name") },
  },
};

describe.each(["nginx", "caddy"] as const)("%s", (proxy) => {
  describeWithProgram([proxy, "jq", "curl"], `the commands of ${domain}, with TLS`, () => {
    it.each([
      ["two", "public.env", (doors: Inside) => `https://localhost:${doors.gateway}`],
      ["one", "one-name.env", (doors: Inside) => `https://localhost:${doors.platform}/mcp`],
    ] as const)(
      "prove that clients connect, names: %s",
      async (names, envFile, gatewayUrlOf) => {
        const [folder, data] = [newFolder(), createDataDir()];
        onTestFinished(data.remove);
        const inside = { platform: await freePort(), gateway: await freePort() };
        const text = proxies[proxy].settings[names];
        const started = await proxies[proxy].start((doors, files) => adapt[proxy]({ text, inside, doors, files }));
        if (started === undefined) throw new Error(`${proxy} is not installed.`);
        onTestFinished(() => started.stop());
        const authority = path.join(folder, "authority.pem");
        writeFileSync(authority, started.certificate);
        const gatewayUrl = gatewayUrlOf({ platform: started.port, gateway: started.tlsPort });
        const replace = {
          "https://switchyard.example.com/mcp": gatewayUrl,
          "https://mcp.example.com": gatewayUrl,
          "https://switchyard.example.com": `https://localhost:${started.port}`,
        };
        const told = Object.entries(replace).reduce(
          (all, [name, value]) => all.replaceAll(name, value),
          fileOf(domain, envFile),
        );
        const server = await startServer({
          dataDir: data.dataDir,
          ports: inside,
          environment: parseEnv(told) as Record<string, string>,
        });
        onTestFinished(async () => void (await server.stop()));
        await runDocument(domain, {
          folder,
          environment: { NODE_EXTRA_CA_CERTS: authority, CURL_CA_BUNDLE: authority },
          prelude,
          replace: { ...replace, "/srv/switchyard": createCheckout({ SWITCHYARD_DATA_DIR: data.dataDir }) },
        });
      },
      300_000,
    );
  });
});
