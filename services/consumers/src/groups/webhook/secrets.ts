import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** A secret as it is stored: `iv | tag | text`, by AES-256-GCM. */
export interface Sealed {
  /** Names the key without telling it. */
  keyId: string;
  sealed: Buffer;
}

const ivBytes = 12;
const tagBytes = 16;

/** AES-256 takes 32 bytes. */
const keyOf = (random: Buffer) => createHash('sha256').update(random).digest();
const keyIdOf = (key: Buffer) => createHash('sha256').update('webhook key').update(key).digest('hex').slice(0, 16);

export type SecretBox = ReturnType<typeof createSecretBox>;

/**
 * Seals the secrets of endpoints for the database, bound to their endpoint, so that a row that is copied to another endpoint is
 * worthless.
 * @param keys random, of at least 32 bytes; the first seals, all open
 */
export function createSecretBox([first, ...others]: readonly [Buffer, ...Buffer[]]) {
  const current = keyOf(first);
  const byId = new Map([current, ...others.map(keyOf)].map((key) => [keyIdOf(key), key]));
  const currentId = keyIdOf(current);
  const otherIds = [...byId.keys()].filter((id) => id !== currentId);

  return {
    currentId,
    /** Of the keys that only open. */
    otherIds,
    seal(text: string, webhookId: string): Sealed {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', current, iv).setAAD(Buffer.from(webhookId));
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return { keyId: currentId, sealed: Buffer.concat([iv, cipher.getAuthTag(), content]) };
    },
    /** @throws Error if the key is not known any more, or the row was tampered with */
    open({ keyId, sealed }: { keyId: string; sealed: Uint8Array }, webhookId: string): string {
      const key = byId.get(keyId);
      if (key === undefined) throw new Error(`WEBHOOK_KEYS lacks the key ${keyId}, which seals secrets of webhooks`);
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes))
        .setAAD(Buffer.from(webhookId))
        .setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
      return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
    },
  };
}

/** A new secret as the Standard Webhooks specification writes it, of 32 bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
