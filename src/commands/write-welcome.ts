import path from "node:path";
import { commandLine } from "../base/own-files.ts";
import { type Config, resourceTemplateOf } from "../config.ts";

type Started = {
  roles: readonly string[];
  config: Config;
  /** Of the PostgreSQL that was brought along, where that is used. */
  databaseFolder: string | undefined;
  firstAccountNeeded: boolean;
  setupToken: string | undefined;
  /** Where several processes serve together. */
  place?: { count: number; supervisor: number };
};

/** What a process says once it is ready: what is where, and what is left to do. */
export function writeWelcome({
  roles,
  config,
  databaseFolder,
  firstAccountNeeded,
  setupToken,
  place,
}: Started): string {
  const hasPages = roles.includes("platform");
  const lines = ["", `Switchyard is ready (${roles.join(", ")})`];
  if (hasPages)
    lines.push(
      `  Web UI and platform API   ${config.platform.baseUrl}`,
      `  API documentation         ${config.platform.baseUrl}/docs`,
    );
  if (roles.includes("gateway")) lines.push(`  MCP gateway               ${config.gateway.baseUrl}`);
  if (config.operations) lines.push(`  Health and metrics        ${config.operations.baseUrl}`);
  if (place) lines.push(`  Processes                 ${place.count}, under the supervisor ${place.supervisor}`);
  lines.push(...describeData(config, databaseFolder));
  if (config.serverUrlTemplate !== resourceTemplateOf(config.oauth.resourceUrl))
    lines.push(
      "",
      "MCP clients that sign in cannot use the addresses of MCP_SERVER_URL_TEMPLATE: set MCP_OAUTH_RESOURCE_URL to match it.",
    );
  if (firstAccountNeeded) {
    const command = `${commandLine} setup --email you@example.com --password … --organization 'Your team'`;
    // The pages are elsewhere, at an address that this process does not know.
    if (!hasPages)
      lines.push("", "There is no account yet. Create the first one on the pages of a process with the role platform,");
    else lines.push("", `There is no account yet. Open ${config.platform.baseUrl}/setup to create the first one,`);
    lines.push(`or run: ${command}`);
    if (setupToken !== undefined && hasPages) lines.push(`Setup token: ${setupToken}`);
  }
  return lines.join("\n");
}

/** The database may lie outside the data folder, where PostgreSQL's own user can enter; key files never do. */
function describeData(config: Config, databaseFolder: string | undefined): string[] {
  const { dataDir, masterKey, cookieKey } = config;
  const isInside =
    databaseFolder !== undefined &&
    path.basename(databaseFolder) === "postgres" &&
    path.dirname(databaseFolder) === dataDir;
  const ofEnvironment = masterKey ?? cookieKey;
  if (isInside && !ofEnvironment) return [`  Data                      ${dataDir}`];
  const masterPlace = masterKey ? "SWITCHYARD_MASTER_KEY" : path.join(dataDir, "master.key");
  const cookiePlace = cookieKey ? "SWITCHYARD_COOKIE_KEY" : path.join(dataDir, "cookie.key");
  return [
    databaseFolder === undefined
      ? "  Data                      the PostgreSQL of DATABASE_URL"
      : `  Database                  ${databaseFolder}`,
    `  Keys                      ${ofEnvironment ? `${masterPlace}, ${cookiePlace}` : dataDir}`,
  ];
}
