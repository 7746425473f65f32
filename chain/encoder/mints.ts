/**
 * Instructions that make a mint: its decimals, its name, symbol and URI by either of the two metadata programs, its supply.
 */
import type { Token } from '../../domain/events/token.ts'
import { INITIALIZE_METADATA, METADATA_PROGRAM } from '../transaction/metadata-call.ts'
import { TOKEN_PROGRAMS } from '../transaction/token-program.ts'
import { addressOf, isDrawn } from './keys.ts'
import { bytesOfHex, textOf } from './payload.ts'
import type { TokenAccount, TransactionWriter } from './transaction-writer.ts'

/** First bytes of InitializeMint2, and of Metaplex's CreateMetadataAccountV3. */
const INITIALIZE_MINT_2 = 20
const CREATE_METADATA_V3 = 33

/** `supplyTo`: the account that receives the supply. */
export function mintInstructions(
  writer: TransactionWriter,
  { tokenAddress: mint, decimals = 0, name = '', symbol = '', uri = '', supply, creator }: Token,
  supplyTo: TokenAccount,
): void {
  const [classic, newer] = TOKEN_PROGRAMS
  const authority = creator ?? addressOf(`authority ${mint}`)
  const hasInterface = isDrawn(`interface ${mint}`, 30)
  const initialize = Buffer.concat([Uint8Array.of(INITIALIZE_MINT_2, decimals), Buffer.alloc(33)])
  writer.call(hasInterface ? newer : classic, [mint], initialize)
  const names = Buffer.concat([textOf(name), textOf(symbol), textOf(uri)])
  if (hasInterface) {
    writer.call(
      newer,
      [mint, authority, mint],
      Buffer.concat([bytesOfHex(INITIALIZE_METADATA), names]),
    )
  } else {
    const bytes = Buffer.concat([Uint8Array.of(CREATE_METADATA_V3), names, Buffer.alloc(8)])
    writer.call(METADATA_PROGRAM, [addressOf(`metadata ${mint}`), mint, authority], bytes)
  }
  if (supply !== undefined) writer.mintTo(supplyTo, authority, BigInt(supply))
}
