import { generateKeyPairSync } from "node:crypto";

export const robotKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
export const robotPem = String(robotKeys.privateKey.export({ type: "pkcs8", format: "pem" }));

/** The key file of a Google service account, as it is given for download, that gets its tokens at an address. */
export const writeRobotKey = (tokenUrl: string, changes: object = {}): string =>
  JSON.stringify({
    type: "service_account",
    project_id: "acme",
    private_key_id: "key-1",
    private_key: robotPem,
    client_email: "robot@acme.iam.gserviceaccount.com",
    client_id: "1",
    token_uri: tokenUrl,
    auth_uri: "https://accounts.google.com/o/oauth2/auth",
    universe_domain: "googleapis.com",
    ...changes,
  });
