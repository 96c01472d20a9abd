import { expect, it } from "vitest";
import { isUnconnected } from "./effect.ts";

it.each([
  "ECONNREFUSED",
  "EAI_AGAIN",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_UNSUPPORTED_PROTOCOL",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
])("takes %s for a connection that was never there", (code) => {
  expect(isUnconnected(code)).toBe(true);
});

it.each([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC",
  "ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC",
  "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR",
  "ERR_SSL_UNEXPECTED_EOF_WHILE_READING",
  "ERR_TLS_RENEGOTIATION_DISABLED",
])("takes %s for one over which something may have been sent", (code) => {
  expect(isUnconnected(code)).toBe(false);
});
