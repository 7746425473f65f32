/**
 * Format of an API key: `ohlcv_<env>_sk_` and 48 base62 characters, 42 random ones and the
 * CRC32 of all before them. An invalid key is detected without a look-up. Pure.
 */
import { crc32 } from 'node:zlib'

export const ENVIRONMENTS = ['live', 'dev', 'test'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 42
const CHECKSUM_LENGTH = 6
/** Bytes from here up would favour the first characters: they are thrown away. */
const FAIR_BYTE_END = 256 - (256 % ALPHABET.length)
const KEY = /^ohlcv_(live|dev|test)_sk_([0-9A-Za-z]{42})([0-9A-Za-z]{6})$/
const KEY_LIKE = /(ohlcv(?:_|%5f)[a-z]*(?:_|%5f)sk(?:_|%5f))[0-9A-Za-z]+/gi
/** How an operator's key begins that `up` made; one of their own may look like anything. */
export const OPERATOR_KEY_PREFIX = 'swaptide_operator_'
const OPERATOR_KEY_LIKE = /(swaptide(?:_|%5f)operator(?:_|%5f))(?:[\w-]|%5f)+/gi

/** A new key. `randomBytes(n)` gives n random bytes. */
export function makeKey(
  environment: Environment,
  randomBytes: (count: number) => Uint8Array,
): string {
  let random = ''
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH - random.length)) {
      if (byte < FAIR_BYTE_END) random += ALPHABET[byte % ALPHABET.length]
    }
  }
  const body = `ohlcv_${environment}_sk_${random}`
  return body + checksumOf(body)
}

/** The environment of a well-formed key; undefined for anything else. */
export function checkKey(text: string): Environment | undefined {
  const match = KEY.exec(text)
  if (match === null) return undefined
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return checksumOf(body) === match[3] ? (match[1] as Environment) : undefined
}

/** The text with everything that looks like a key, or an operator's, blotted out. */
export function maskKeys(text: string): string {
  return text.replace(KEY_LIKE, '$1***').replace(OPERATOR_KEY_LIKE, '$1***')
}

function checksumOf(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text = ALPHABET[rest % ALPHABET.length] + text
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}
