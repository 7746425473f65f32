/**
 * A body that is kept, with what an answer says of it: made once, however often it goes out.
 */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

/** As koa-compress does it for what is not kept. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const ETAG_LENGTH = 22
const encoders: Readonly<Record<Encoding, (body: string) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  gzip: promisify(gzip),
}

export class Kept {
  readonly body: string
  /** Of the body in UTF-8. */
  readonly bytes: number
  /** Weak: compression changes the bytes, not the answer. */
  readonly etag: string
  readonly #encoded: Partial<Record<Encoding, Promise<Buffer>>> = {}

  constructor(body: string) {
    this.body = body
    this.bytes = Buffer.byteLength(body)
    this.etag = `W/"${hash('sha256', body, 'base64url').slice(0, ETAG_LENGTH)}"`
  }

  /** The body compressed, by the first that asks for it. */
  encoded(encoding: Encoding): Promise<Buffer> {
    this.#encoded[encoding] ??= encoders[encoding](this.body)
    return this.#encoded[encoding]
  }
}
