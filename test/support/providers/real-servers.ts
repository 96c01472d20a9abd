import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { describe } from "vitest";
import { type Account, chooseAccount } from "../../../src/storage/postgres-account.ts";
import { findPackageDir, prepareBinaries } from "../../../src/storage/postgres-binaries.ts";
import { databaseUser, ensureCluster } from "../../../src/storage/postgres-cluster.ts";
import { freePort } from "../free-port.ts";
import type { TestServer } from "../global-setup.ts";

const run = promisify(execFile);

/** Tests against programs of the machine. Without them they are reported as skipped, and fail where they must be there. */
export function describeWithProgram(program: string | string[], name: string, tests: () => void): void {
  // Every server here gets a certificate.
  const missing = [program, "openssl"].flat().find((needed) => findProgram(needed) === undefined);
  if (missing !== undefined && process.env.SWITCHYARD_REQUIRE_REAL_SERVERS === "1")
    throw new Error(`${missing} is not installed.`);
  describe.skipIf(missing !== undefined)(
    missing === undefined ? name : `${name} (skipped: ${missing} is not installed)`,
    tests,
  );
}

/** A self-signed certificate for localhost, as PEM. */
export async function createCertificate(): Promise<{ certificate: string; key: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), "switchyard-certificate-"));
  try {
    const files = { certificate: path.join(folder, "certificate.pem"), key: path.join(folder, "key.pem") };
    const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    await run("openssl", ["req", ...kind, ...names, "-keyout", files.key, "-out", files.certificate]);
    return { certificate: await readFile(files.certificate, "utf8"), key: await readFile(files.key, "utf8") };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Our own PostgreSQL on a port, with one superuser who has to give the password, and TLS. */
export async function startPostgres({ user, password }: { user: string; password: string }) {
  const server = await startServer(async ({ folder, ports, files, account }) => {
    const binaries = await prepareBinaries({ packageDir: findPackageDir(), account, copyParent: folder });
    const clusterDir = path.join(folder, "postgres");
    await ensureCluster(binaries.initdb, { clusterDir, socketDir: folder, account });
    await writeFile(
      path.join(clusterDir, "pg_hba.conf"),
      "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n",
    );
    const tls = { ssl: "on", ssl_cert_file: files.certificate, ssl_key_file: files.key };
    const settings = {
      listen_addresses: "127.0.0.1",
      port: ports[0],
      unix_socket_directories: folder,
      fsync: "off",
      ...tls,
    };
    return [
      binaries.postgres,
      "-D",
      clusterDir,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ];
  });
  const client = await connectWhenStarted({
    host: server.folder,
    port: server.port,
    user: databaseUser,
    database: "postgres",
  });
  await client.query(`CREATE ROLE ${user} SUPERUSER LOGIN PASSWORD ${client.escapeLiteral(password)}`);
  await client.end();
  return { ...server, stop: () => server.stop("SIGINT") };
}

/** MariaDB with one database `shop`, one user and TLS. */
export async function startMariaDb({ user, password }: { user: string; password: string }) {
  const program = findProgram("mariadbd");
  if (program === undefined) return undefined;
  return await startServer(async ({ folder, ports, files, account }) => {
    const data = path.join(folder, "data");
    const installOptions = [
      "--no-defaults",
      `--datadir=${data}`,
      "--auth-root-authentication-method=normal",
      "--skip-test-db",
    ];
    await run(findProgram("mariadb-install-db") ?? "mariadb-install-db", installOptions, { ...account, cwd: folder });
    const setUp = path.join(folder, "set-up.sql");
    await writeFile(
      setUp,
      `CREATE DATABASE shop;\nCREATE USER '${user}'@'%' IDENTIFIED BY '${password}';\nGRANT ALL ON *.* TO '${user}'@'%';\n`,
    );
    return [
      program,
      "--no-defaults",
      `--datadir=${data}`,
      `--socket=${path.join(folder, "mariadb.sock")}`,
      `--pid-file=${path.join(folder, "mariadb.pid")}`,
      `--port=${ports[0]}`,
      "--bind-address=127.0.0.1",
      `--init-file=${setUp}`,
      "--innodb-flush-log-at-trx-commit=0",
      "--local-infile=1",
      `--ssl-cert=${files.certificate}`,
      `--ssl-key=${files.key}`,
    ];
  });
}

/** Redis with a password; the second port speaks TLS. */
export async function startRedis({ password }: { password: string }) {
  const program = findProgram("redis-server");
  if (program === undefined) return undefined;
  return await startServer(async ({ folder, ports, files }) => [
    program,
    ...["--port", String(ports[0]), "--tls-port", String(ports[1]), "--bind", "127.0.0.1", "--dir", folder],
    ...[
      "--tls-cert-file",
      files.certificate,
      "--tls-key-file",
      files.key,
      "--tls-ca-cert-file",
      files.certificate,
      "--tls-auth-clients",
      "no",
    ],
    ...["--save", "", "--appendonly", "no", "--requirepass", password],
  ]);
}

/**
 * An IMAP server with one user, whom it does not keep waiting after a wrong password; plain text and STARTTLS on the first port, TLS on the
 * second. It asks there whose token one is.
 */
export async function startDovecot({
  user,
  password,
  tokenInfoUrl,
}: {
  user: string;
  password: string;
  tokenInfoUrl?: string;
}) {
  const program = findProgram("dovecot");
  if (program === undefined) return undefined;
  return await startServer(async ({ folder, ports, files, account }) => {
    const name = account === undefined ? userInfo().username : nameOf(account.uid);
    const group = execFileSync("id", ["-gn", name], { encoding: "utf8" }).trim();
    await writeFile(path.join(folder, "users"), `${user}:{PLAIN}${password}::::::\n`);
    const oauth = path.join(folder, "oauth2.conf");
    await writeFile(
      oauth,
      `tokeninfo_url = ${tokenInfoUrl ?? ""}\nusername_attribute = email\nforce_introspection = no\n`,
    );
    const settings = describeDovecot({
      oauth: tokenInfoUrl === undefined ? undefined : oauth,
      folder,
      ports,
      files,
      name,
      group,
      uid: account?.uid ?? userInfo().uid,
      gid: account?.gid ?? userInfo().gid,
    });
    const file = path.join(folder, "dovecot.conf");
    await writeFile(file, settings);
    return [program, "-F", "-c", file];
  });
}

/** PgBouncer in transaction mode before a database that trusts its user, with so many connections to it. */
export async function startPgBouncer({ host, port, user, database }: TestServer, connections: number) {
  const program = findProgram("pgbouncer");
  if (program === undefined) return undefined;
  return await startServer(async ({ folder, ports }) => {
    const file = path.join(folder, "pgbouncer.ini");
    const users = path.join(folder, "users.txt");
    await writeFile(users, `"${user}" ""\n`);
    const door = `listen_addr = 127.0.0.1\nlisten_port = ${ports[0]}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${users}`;
    const pool = `pool_mode = transaction\ndefault_pool_size = ${connections}\nmax_client_conn = 500`;
    await writeFile(file, `[databases]\n${database} = host=${host} port=${port}\n[pgbouncer]\n${door}\n${pool}\n`);
    return [program, file];
  });
}

/** nginx with the given settings for its http block; both ports are free for it to listen on, and the files are there for TLS. */
export async function startNginx(describeDoors: (ports: [number, number], files: Place["files"]) => string) {
  const program = findProgram("nginx");
  if (program === undefined) return undefined;
  return await startServer(async ({ folder, ports, files }) => {
    const file = path.join(folder, "nginx.conf");
    await writeFile(file, describeNginx(folder, describeDoors(ports, files)));
    return [program, "-e", "stderr", "-p", folder, "-c", file];
  });
}

/** Caddy with the given sites, which name certificates of their own: it asks nobody for one. */
export async function startCaddy(describeSites: (ports: [number, number], files: Place["files"]) => string) {
  const program = findProgram("caddy");
  if (program === undefined) return undefined;
  return await startServer(async ({ folder, ports, files }) => {
    const file = path.join(folder, "Caddyfile");
    await writeFile(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n\n${describeSites(ports, files)}`);
    return [program, "run", "--adapter", "caddyfile", "--config", file];
  });
}

/** A whole file of settings around those of the http block. */
export const describeNginx = (folder: string, doors: string): string => {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${path.join(folder, kind)};`).join("\n");
  return `daemon off;\npid ${path.join(folder, "nginx.pid")};\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${doors}\n}\n`;
};

type Place = { folder: string; ports: [number, number]; files: { certificate: string; key: string }; account: Account };

/** Runs a program in a folder of its own, never as root, until `stop`. */
async function startServer(prepare: (place: Place) => Promise<[string, ...string[]]>) {
  const account = await chooseAccount(undefined);
  const folder = await mkdtemp(path.join(tmpdir(), "switchyard-server-"));
  const pem = await createCertificate();
  const files = { certificate: path.join(folder, "certificate.pem"), key: path.join(folder, "key.pem") };
  await writeFile(files.certificate, pem.certificate);
  await writeFile(files.key, pem.key, { mode: 0o600 });
  if (account) for (const owned of [folder, files.certificate, files.key]) await chown(owned, account.uid, account.gid);
  const ports: [number, number] = [await freePort(), await freePort()];
  const [program, ...options] = await prepare({ folder, ports, files, account });
  const child = spawn(program, options, { ...account, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const killOnExit = () => void child.kill("SIGKILL");
  process.once("exit", killOnExit);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => (output = (output + text.toString()).slice(-5000)));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    const isOut = await Promise.race([exited.then(() => true), delay(10_000, false, { ref: false })]);
    if (!isOut) child.kill("SIGKILL");
    await exited;
    process.off("exit", killOnExit);
    await rm(folder, { recursive: true, force: true });
  };
  const hasAnswered = await waitForPort(ports[0], () => child.exitCode !== null);
  if (hasAnswered)
    return { port: ports[0], tlsPort: ports[1], certificate: pem.certificate, folder, pid: child.pid, stop };
  await stop();
  throw new Error(`${program} did not start:\n${output}`);
}

// The port is open before the server lets anybody in.
async function connectWhenStarted(target: pg.ClientConfig): Promise<pg.Client> {
  for (let attempts = 1; ; attempts++) {
    const client = new pg.Client(target);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (attempts === 200) throw error;
      await delay(50);
    }
  }
}

async function waitForPort(port: number, hasEnded: () => boolean): Promise<boolean> {
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline && !hasEnded()) {
    const socket = connect({ host: "127.0.0.1", port });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return true;
    await delay(50);
  }
  return false;
}

export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

const nameOf = (uid: number): string => execFileSync("id", ["-un", String(uid)], { encoding: "utf8" }).trim();

type Dovecot = Omit<Place, "account"> & {
  name: string;
  group: string;
  uid: number;
  gid: number;
  oauth: string | undefined;
};

const describeTokens = (file: string): string => `
auth_mechanisms = plain login xoauth2 oauthbearer
passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = ${file}
}`;

const describeDovecot = ({ folder, ports, files, name, group, uid, gid, oauth }: Dovecot): string => `
protocols = imap
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = /dev/stderr
listen = 127.0.0.1
default_internal_user = ${name}
default_internal_group = ${group}
default_login_user = ${name}
first_valid_uid = 1
mail_location = maildir:${folder}/mail/%u
disable_plaintext_auth = no
auth_failure_delay = 0
ssl = yes
ssl_cert = <${files.certificate}
ssl_key = <${files.key}${oauth === undefined ? "" : describeTokens(oauth)}
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/home/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${ports[0]}
  }
  inet_listener imaps {
    port = ${ports[1]}
    ssl = yes
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
`;
