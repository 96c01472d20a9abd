import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { Refusal } from "../base/refusal.ts";
import { deriveFingerprintKey } from "./fingerprint.ts";

export type KeyRing = { current: Buffer; previous: Buffer[] };

/** What a ciphertext belongs to; it opens nowhere else. */
export type SealContext = { organizationId: string; credentialId: string };

export type Seal = ReturnType<typeof createSeal>;

const version = 1;
const keyIdBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + keyIdBytes;

/**
 * AES-256-GCM: version, key id, nonce, tag, data. The ring is read anew for every sealing and when a key id is unknown, so that
 * processes that were already running follow a change of the master key.
 */
export function createSeal(readRing: () => KeyRing) {
  let ring = indexRing(readRing());

  function reload(): void {
    ring = indexRing(readRing());
  }

  function keyFor(keyId: string): Buffer | undefined {
    if (!ring.keys.has(keyId)) reload();
    return ring.keys.get(keyId);
  }

  return {
    seal(plaintext: string, context: SealContext): Buffer {
      reload();
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", ring.current, nonce, { authTagLength: tagBytes });
      cipher.setAAD(bindTo(context));
      const data = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
      return Buffer.concat([
        Buffer.from([version]),
        Buffer.from(ring.currentId, "hex"),
        nonce,
        cipher.getAuthTag(),
        data,
      ]);
    },

    open(sealed: Buffer, context: SealContext): string {
      const key =
        sealed[0] === version && sealed.length >= headerBytes + nonceBytes + tagBytes
          ? keyFor(keyIdOf(sealed))
          : undefined;
      if (!key) throw unreadable();
      const body = sealed.subarray(headerBytes);
      const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(bindTo(context));
      decipher.setAuthTag(body.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        return Buffer.concat([decipher.update(body.subarray(nonceBytes + tagBytes)), decipher.final()]).toString(
          "utf8",
        );
      } catch {
        throw unreadable();
      }
    },

    /** For what the secrets of an organization are recognised by; undefined when the master key of that id is not there. */
    fingerprintKey(keyId: string, organizationId: string): Buffer | undefined {
      const key = keyFor(keyId);
      return key && deriveFingerprintKey(key, organizationId);
    },

    keyIdOf,
    currentKeyId(): string {
      reload();
      return ring.currentId;
    },
    keyIds(): string[] {
      reload();
      return [...ring.keys.keys()];
    },
  };
}

const keyIdOf = (sealed: Buffer): string => sealed.subarray(1, headerBytes).toString("hex");

function indexRing({ current, previous }: KeyRing) {
  const idOf = (key: Buffer) => createHash("sha256").update(key).digest().subarray(0, keyIdBytes).toString("hex");
  return { current, currentId: idOf(current), keys: new Map([...previous, current].map((key) => [idOf(key), key])) };
}

const bindTo = ({ organizationId, credentialId }: SealContext): Buffer =>
  Buffer.from(`${organizationId}\n${credentialId}`);

const unreadable = () =>
  new Refusal(
    "credential_unreadable",
    "The stored secret cannot be opened: it was changed, or sealed with another master key. Enter it anew.",
  );
