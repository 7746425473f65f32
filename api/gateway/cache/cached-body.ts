/**
 * A cached response body with its length, ETag and compressed forms, each computed once for all responses.
 */
import { hash } from 'node:crypto'
import { compressed, type Encoding } from '../../http/compression.ts'

const ETAG_LENGTH = 22

export class CachedBody {
  readonly body: string
  /** Length of the body in UTF-8. */
  readonly bytes: number
  /** Weak, because compression changes the bytes but not the content. */
  readonly etag: string
  readonly #encoded: Partial<Record<Encoding, Buffer | Promise<Buffer>>> = {}

  constructor(body: string) {
    this.body = body
    this.bytes = Buffer.byteLength(body)
    this.etag = `W/"${hash('sha256', body, 'base64url').slice(0, ETAG_LENGTH)}"`
  }

  /** The compressed body, computed on first use. */
  encoded(encoding: Encoding): Buffer | Promise<Buffer> {
    this.#encoded[encoding] ??= compressed(this.body, this.bytes, encoding)
    return this.#encoded[encoding]
  }
}
