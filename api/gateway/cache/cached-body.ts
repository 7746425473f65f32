/**
 * A body that is kept, with what an answer says of it: made once, however often it goes out.
 */
import { hash } from 'node:crypto'
import { compressed, type Encoding } from '../../http/compression.ts'

const ETAG_LENGTH = 22

export class CachedBody {
  readonly body: string
  /** Length of the body in UTF-8. */
  readonly bytes: number
  /** Weak: compression changes the bytes, not the answer. */
  readonly etag: string
  readonly #encoded: Partial<Record<Encoding, Buffer | Promise<Buffer>>> = {}

  constructor(body: string) {
    this.body = body
    this.bytes = Buffer.byteLength(body)
    this.etag = `W/"${hash('sha256', body, 'base64url').slice(0, ETAG_LENGTH)}"`
  }

  /** The body compressed, by the first that asks for it. */
  encoded(encoding: Encoding): Buffer | Promise<Buffer> {
    this.#encoded[encoding] ??= compressed(this.body, this.bytes, encoding)
    return this.#encoded[encoding]
  }
}
