/** The same for all processes of a test, so that they can read each other's cookies and sealed data. */
export const testKeys = {
  SWITCHYARD_COOKIE_KEY: Buffer.alloc(32, "cookie").toString("base64"),
  SWITCHYARD_MASTER_KEY: Buffer.alloc(32, "master").toString("base64"),
};

/** For servers that are called a lot and call a provider on loopback. */
export const busySettings = {
  RATE_LIMIT_API_KEY_PER_MINUTE: "1000000",
  OUTBOUND_ALLOWED_CIDRS: "127.0.0.0/8",
  LOG_LEVEL: "error",
};
