import { createHmac } from "node:crypto";
import { isSameText } from "../base/same-text.ts";

/** Cookies of a page that is served over https belong to its host alone. */
export const sessionCookieName = (baseUrl: string): string =>
  baseUrl.startsWith("https://") ? "__Host-switchyard_session" : "switchyard_session";

export const sessionSecret = (cookieKey: Buffer): string => cookieKey.toString("base64");

/** As better-auth signs it: the token, a dot, and its HMAC under the secret, encoded like a part of an address. */
const signed = /^([A-Za-z0-9]{32})\.([A-Za-z0-9+/]{43}=)$/;

/**
 * The token of the session that a request came with. Undefined where anything is not as usual, such as a cookie that is there twice: better-auth
 * judges that then.
 */
export function createReadSessionToken({ baseUrl, cookieKey }: { baseUrl: string; cookieKey: Buffer }) {
  const secret = sessionSecret(cookieKey);
  const start = `${sessionCookieName(baseUrl)}=`;
  return (cookies: string | null): string | undefined => {
    const own = (cookies ?? "").split(/; */).filter((cookie) => cookie.startsWith(start));
    const [, token, signature] = signed.exec(own.length === 1 ? decode(own[0]?.slice(start.length) ?? "") : "") ?? [];
    if (token === undefined || signature === undefined) return undefined;
    return isSameText(signature, createHmac("sha256", secret).update(token).digest("base64")) ? token : undefined;
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
