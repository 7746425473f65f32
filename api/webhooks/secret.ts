/**
 * Secrets of webhooks: made, encrypted for the table, and used to sign by Standard Webhooks (HMAC-SHA256 over
 * `id.timestamp.body`). Pure but for the random bytes.
 *
 * Invariant: a secret leaves the process only in the answer that creates it. The table holds it encrypted by
 * AES-256-GCM under a key that is derived from WEBHOOK_SECRET_KEY.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32
/** Bounds of Standard Webhooks for a secret of the operator's own. */
const BYTES_MIN = 24
const BYTES_MAX = 64
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'
const PURPOSE = 'swaptide webhook secrets'

export const SECRET_EXPECTED = `${SECRET_PREFIX} and base64 of ${BYTES_MIN} to ${BYTES_MAX} bytes`

/** Encrypts and decrypts by a key. */
export type SecretBox = { seal(secret: Buffer): Buffer; open(sealed: Buffer): Buffer }

/** The stored secret cannot be decrypted: it was encrypted under another key. */
export class SecretUnreadable extends Error {
  override name = 'SecretUnreadable'
}

export const makeSecret = (): Buffer => randomBytes(SECRET_BYTES)

export const secretText = (secret: Buffer): string => SECRET_PREFIX + secret.toString('base64')

/** The bytes of `whsec_...`; undefined for any other text. */
export function readSecret(text: string): Buffer | undefined {
  if (!text.startsWith(SECRET_PREFIX)) return undefined
  const encoded = text.slice(SECRET_PREFIX.length)
  const secret = Buffer.from(encoded, 'base64')
  const isExact = secret.toString('base64') === encoded
  return isExact && secret.length >= BYTES_MIN && secret.length <= BYTES_MAX ? secret : undefined
}

export function openSecretBox(root: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', root, '', PURPOSE, 32))
  return {
    seal(secret) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce)
      const text = Buffer.concat([cipher.update(secret), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text])
    },
    open(sealed) {
      const nonce = sealed.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv(CIPHER, key, nonce)
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([text, decipher.final()])
      } catch (cause) {
        const text =
          'the secret cannot be decrypted: WEBHOOK_SECRET_KEY is not that of its creation'
        throw new SecretUnreadable(text, { cause })
      }
    },
  }
}

/** The value of `webhook-signature`: one of each secret, the newest first. `atSeconds`: Unix seconds. */
export function signatureOf(
  secrets: readonly Buffer[],
  { id, body }: { id: string; body: string },
  atSeconds: number,
): string {
  const signed = `${id}.${atSeconds}.${body}`
  const one = (secret: Buffer) => createHmac('sha256', secret).update(signed).digest('base64')
  return secrets.map((secret) => `v1,${one(secret)}`).join(' ')
}
