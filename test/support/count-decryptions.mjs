// Loaded before a program: leaves one byte in a file for each time that something is decrypted.
import crypto from "node:crypto";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { createDecipheriv } = crypto;
crypto.createDecipheriv = (...given) => {
  appendFileSync(process.env.TEST_DECRYPTIONS_FILE, ".");
  return createDecipheriv(...given);
};
syncBuiltinESMExports();
