/** Calls of the metadata programs that name a mint: name, symbol and URI. Pure. */
import type { TokenTexts } from '../../domain/text/token-text.ts'
import { isTokenProgram } from './token-program.ts'

export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'

/**
 * First bytes of Metaplex's CreateMetadataAccountV2 and V3, and of Create, which has a version after it: where the mint is among
 * the accounts, and where the texts begin.
 */
export const METADATA_CALLS: ReadonlyMap<number, { mintAt: number; textsAt: number }> = new Map([
  [16, { mintAt: 1, textsAt: 1 }],
  [33, { mintAt: 1, textsAt: 1 }],
  [42, { mintAt: 2, textsAt: 2 }],
])
/** First 8 bytes of the token metadata interface's Initialize, as hex. */
export const INITIALIZE_METADATA = 'd2e11ea258b84d8d'
const INTERFACE_MINT = 2
const INTERFACE_TEXTS_AT = 8

/** Texts that an instruction states of a mint, with the mint's place among its accounts; undefined where it names none. */
export function namesIn(
  program: string,
  payload: Uint8Array,
): { mintAt: number; names: TokenTexts } | undefined {
  if (program === METADATA_PROGRAM) {
    const call = METADATA_CALLS.get(payload[0] ?? -1)
    return call && { mintAt: call.mintAt, names: namesAt(payload, call.textsAt) }
  }
  if (!isTokenProgram(program) || !begins(payload, INITIALIZE_METADATA)) return undefined
  return { mintAt: INTERFACE_MINT, names: namesAt(payload, INTERFACE_TEXTS_AT) }
}

/**
 * Name, symbol and URI, each a length of 4 bytes and UTF-8; padding is the ingest contract's to trim. An empty URI is none;
 * what follows a text beyond the end is left out with it.
 */
function namesAt(payload: Uint8Array, offset: number): TokenTexts {
  const name = textAt(payload, offset)
  if (name === undefined) return {}
  const symbol = textAt(payload, name.end)
  if (symbol === undefined) return { name: name.text }
  const uri = textAt(payload, symbol.end)
  const names = { name: name.text, symbol: symbol.text }
  return uri === undefined || uri.text === '' ? names : { ...names, uri: uri.text }
}

/** A text after its length of 4 bytes; undefined where it ends beyond the bytes. */
export function textAt(
  payload: Uint8Array,
  offset: number,
): { text: string; end: number } | undefined {
  if (offset + 4 > payload.length) return undefined
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length)
  const end = offset + 4 + bytes.readUInt32LE(offset)
  if (end > payload.length) return undefined
  return { text: bytes.toString('utf8', offset + 4, end), end }
}

const begins = (payload: Uint8Array, hex: string): boolean =>
  Buffer.from(payload.subarray(0, hex.length / 2)).toString('hex') === hex
