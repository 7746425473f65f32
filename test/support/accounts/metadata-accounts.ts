/** Raw accounts of mints and their metadata, byte by byte, with parts that a test changes. */

import { addressOf } from '../../../chain/encoder/keys.ts'
import { METADATA_PROGRAM } from '../../../chain/transaction/metadata-call.ts'
import { TOKEN_PROGRAMS } from '../../../chain/transaction/token-program.ts'
import { decodeBase58 } from '../../../domain/numbers/base58.ts'

type Texts = { name: string; symbol: string; uri: string }

const [, TOKEN_2022] = TOKEN_PROGRAMS
const AUTHORITY = addressOf('authority')
const MINT_BYTES = 82
const KIND_AT = 165

const bytesOf = (key: string): Uint8Array => decodeBase58(key) ?? new Uint8Array(32)

export const u16 = (value: number): Uint8Array => Uint8Array.of(value & 255, value >> 8)

/** A length of 4 bytes and UTF-8; `length` states another one than it has. */
export function lengthAndText(text: string, length = Buffer.byteLength(text)): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(length)
  return Buffer.concat([bytes, Buffer.from(text)])
}

const textsOf = ({ name, symbol, uri }: Texts): Buffer =>
  Buffer.concat([name, symbol, uri].map((text) => lengthAndText(text)))

/** Name, symbol and URI of Metaplex are filled up with NUL. */
const padded = ({ name, symbol, uri }: Texts): Buffer =>
  textsOf({
    name: name.padEnd(32, '\0'),
    symbol: symbol.padEnd(10, '\0'),
    uri: uri.padEnd(200, '\0'),
  })

export const extension = (type: number, value: Uint8Array): Buffer =>
  Buffer.concat([u16(type), u16(value.length), value])

export const pointer = (account: string): Buffer =>
  extension(18, Buffer.concat([bytesOf(AUTHORITY), bytesOf(account)]))

export const metadata = (mint: string, texts: Texts | Buffer): Buffer =>
  extension(
    19,
    Buffer.concat([
      bytesOf(AUTHORITY),
      bytesOf(mint),
      Buffer.isBuffer(texts) ? texts : Buffer.concat([textsOf(texts), Buffer.alloc(4)]),
    ]),
  )

/** A mint of Token-2022 with these extensions. */
export const extendedMint = (...extensions: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.alloc(MINT_BYTES, 7),
    Buffer.alloc(KIND_AT - MINT_BYTES),
    Uint8Array.of(1),
    ...extensions,
  ])

export const metaplexBytes = (mint: string, texts: Texts): Buffer =>
  Buffer.concat([
    Uint8Array.of(4),
    bytesOf(AUTHORITY),
    bytesOf(mint),
    padded(texts),
    Buffer.alloc(9),
  ])

export const ofToken2022 = (bytes: Buffer) => ({ owner: TOKEN_2022, bytes })
export const ofMetaplex = (bytes: Buffer) => ({ owner: METADATA_PROGRAM, bytes })

/** An account as a node returns it with the encoding base64. */
export const asAnswered = ({ owner, bytes }: { owner: string; bytes: Buffer }) => ({
  owner,
  data: [bytes.toString('base64'), 'base64'],
  executable: false,
  lamports: 1,
  rentEpoch: 0,
  space: bytes.length,
})
