/** A set of addresses, looked up by the bytes of keys without making their texts. Pure. */
import { decodeBase58 } from '../../domain/numbers/base58.ts'

const KEY_BYTES = 32

export class KeySet {
  /** By their first four bytes. */
  readonly #keys = new Map<number, Uint8Array[]>()

  /** Addresses in base58. Throws where one is none. */
  constructor(addresses: Iterable<string>) {
    for (const text of addresses) {
      const key = decodeBase58(text)
      if (key?.length !== KEY_BYTES) throw new Error(`"${text}" is no address`)
      const first = Buffer.from(key).readInt32LE(0)
      this.#keys.set(first, [...(this.#keys.get(first) ?? []), key])
    }
  }

  /** Whether the key that begins there is in the set; false where the bytes end before it. */
  has(bytes: Buffer, at: number): boolean {
    if (at + KEY_BYTES > bytes.length) return false
    const keys = this.#keys.get(bytes.readInt32LE(at))
    return keys?.some((key) => bytes.compare(key, 0, KEY_BYTES, at, at + KEY_BYTES) === 0) ?? false
  }
}
