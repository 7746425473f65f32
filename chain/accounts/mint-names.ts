/**
 * Name, symbol and URI in the raw bytes of an account: a mint of Token-2022 with its own metadata, or Metaplex's account of
 * a mint. Pure.
 *
 * Law: bytes of an account are as hostile as their owner. A length beyond the end, another mint inside than the requested
 * one, or a pointer elsewhere yields nothing, never an error and never the name of another mint.
 */
import { encodeBase58 } from '../../domain/numbers/base58.ts'
import type { TokenTexts } from '../../domain/text/token-text.ts'
import { METADATA_PROGRAM, textAt } from '../transaction/metadata-call.ts'
import { TOKEN_PROGRAMS } from '../transaction/token-program.ts'

/** An account as a node returns it. */
export type RawAccount = { owner: string; bytes: Buffer }

/** Extensions of a mint begin after the length of a token account, with the kind of the account. */
const KIND_AT = 165
const MINT_KIND = 1
const EXTENSIONS_AT = 166
const [POINTER, METADATA] = [18, 19]
const HEADER_BYTES = 4
const KEY_BYTES = 32
/** Both extensions begin with an authority, then an address. */
const ADDRESS_AT = 32

const METAPLEX_KEY = 4
const METAPLEX_MINT_AT = 33
const METAPLEX_NAMES_AT = 65

const [, TOKEN_2022] = TOKEN_PROGRAMS
const NO_KEY = encodeBase58(new Uint8Array(KEY_BYTES))

/** Statement of a mint's account: its names, or the account that holds them; neither where it states none. */
type MintStatement = { names?: TokenTexts; pointsTo?: string }

export function readMintStatement(mint: string, { owner, bytes }: RawAccount): MintStatement {
  if (owner !== TOKEN_2022) return {}
  const extensions = extensionsOf(bytes)
  const pointer = extensions.get(POINTER)
  if (pointer === undefined) return {}
  const pointsTo = keyAt(pointer, ADDRESS_AT)
  if (pointsTo === undefined || pointsTo === NO_KEY) return {}
  if (pointsTo !== mint) return { pointsTo }
  const names = metadataOf(mint, extensions)
  return names === undefined ? {} : { names }
}

/** Names of a mint in an account that its pointer names; that account's own pointer is not followed. */
export function readPointedNames(mint: string, account: RawAccount): TokenTexts | undefined {
  if (account.owner === METADATA_PROGRAM) return readMetaplexNames(mint, account)
  if (account.owner !== TOKEN_2022) return undefined
  return metadataOf(mint, extensionsOf(account.bytes))
}

/** Read by lengths: Metaplex has shortened its accounts. */
export function readMetaplexNames(
  mint: string,
  { owner, bytes }: RawAccount,
): TokenTexts | undefined {
  if (owner !== METADATA_PROGRAM || bytes[0] !== METAPLEX_KEY) return undefined
  if (keyAt(bytes, METAPLEX_MINT_AT) !== mint) return undefined
  return textsAt(bytes, METAPLEX_NAMES_AT)
}

function metadataOf(mint: string, extensions: ReadonlyMap<number, Buffer>): TokenTexts | undefined {
  const metadata = extensions.get(METADATA)
  if (metadata === undefined || keyAt(metadata, ADDRESS_AT) !== mint) return undefined
  return textsAt(metadata, ADDRESS_AT + KEY_BYTES)
}

/** Undefined where one of the three texts ends beyond the bytes: none of them is to be believed then. */
function textsAt(bytes: Buffer, at: number): Required<TokenTexts> | undefined {
  const name = textAt(bytes, at)
  const symbol = name && textAt(bytes, name.end)
  const uri = symbol && textAt(bytes, symbol.end)
  return uri && { name: name.text, symbol: symbol.text, uri: uri.text }
}

/** By type, each once: u16 type, u16 length, value. Empty where one ends beyond the bytes. */
function extensionsOf(bytes: Buffer): ReadonlyMap<number, Buffer> {
  const found = new Map<number, Buffer>()
  if (bytes.length <= EXTENSIONS_AT || bytes[KIND_AT] !== MINT_KIND) return found
  for (let at = EXTENSIONS_AT; at + HEADER_BYTES <= bytes.length; ) {
    const type = bytes.readUInt16LE(at)
    const end = at + HEADER_BYTES + bytes.readUInt16LE(at + 2)
    // Zeros after the last one are reserved space.
    if (type === 0) return found
    if (end > bytes.length) return new Map()
    if (!found.has(type)) found.set(type, bytes.subarray(at + HEADER_BYTES, end))
    at = end
  }
  return found
}

const keyAt = (bytes: Buffer, at: number): string | undefined =>
  at + KEY_BYTES > bytes.length ? undefined : encodeBase58(bytes.subarray(at, at + KEY_BYTES))
