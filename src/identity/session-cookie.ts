import { createHmac } from "node:crypto";
import { isSameText } from "../base/same-text.ts";

/** The token, a dot, and its HMAC, encoded like a part of an address. */
const signed = /^([A-Za-z0-9_-]{32})\.([A-Za-z0-9+/]{43}=)$/;
const lifetimeSeconds = 7 * 24 * 3600;

/** The cookie that holds the token of a session. Where pages are served over https it belongs to their host alone. */
export function createSessionCookie({ baseUrl, cookieKey }: { baseUrl: string; cookieKey: Buffer }) {
  const secret = cookieKey.toString("base64");
  const isHttps = baseUrl.startsWith("https://");
  const start = `${isHttps ? "__Host-" : ""}switchyard_session=`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? "; Secure" : ""}`;
  const sign = (token: string): string => createHmac("sha256", secret).update(token).digest("base64");

  return {
    /** The token that a request came with. Undefined where anything is not as usual, such as a cookie that is there twice. */
    read(cookies: string | undefined): string | undefined {
      const own = (cookies ?? "").split(/; */).filter((cookie) => cookie.startsWith(start));
      const [, token, signature] = signed.exec(own.length === 1 ? decode(own[0]?.slice(start.length) ?? "") : "") ?? [];
      if (token === undefined || signature === undefined) return undefined;
      return isSameText(signature, sign(token)) ? token : undefined;
    },

    write: (token: string): string =>
      `${start}${encodeURIComponent(`${token}.${sign(token)}`)}; Max-Age=${lifetimeSeconds}; ${attributes}`,

    /** Makes the browser forget it. */
    writeEmpty: (): string => `${start}; Max-Age=0; ${attributes}`,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
