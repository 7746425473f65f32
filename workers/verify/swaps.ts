/** Compares stored swaps with the fold of their pools, and looks each up by its signature. */
import type { SwapRow } from '../../domain/events/stored-row.ts'
import { signatureHash } from '../../domain/numbers/signature-hash.ts'
import type { ScannedRow } from '../../history/swaps/scan/pools.ts'
import { areSignaturesFound, findSignaturePositions } from '../../history/swaps/signatures.ts'
import type { Connection } from '../../sql/db.ts'
import type { AcceptedSwap } from '../pool/pool-state.ts'
import { Comparison } from './comparison.ts'

/** Signatures that are looked up at once. */
const SIGNATURES_A_PAGE = 20_000

type Sought = {
  readonly signature: string
  readonly hash: bigint
  readonly position: string
  readonly pool: string
  readonly location: ScannedRow['location']
}

export class SwapComparison {
  readonly swaps = new Comparison('swap')
  readonly signatures = new Comparison('swap_signature')
  private readonly connection: Connection
  private sought: Sought[] = []

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** The next swap of a pool, in canonical order: the hash must not depend on where rows lie. */
  compare(row: ScannedRow, { isLate, priceImpactBps }: AcceptedSwap): void {
    const { signature } = row
    const key = `${signature} ${row.pair_address}`
    if (isLate) this.swaps.differ(`${key}: is stored twice at one position`)
    const text = factsOf(row)
    const pool = `${row.pair_address} ${row.token_address}`
    this.swaps.row(key, `${text} ${row.price_impact_bps}`, `${text} ${priceImpactBps}`, pool)
    const hash = signatureHash(signature)
    const position = `${hash} ${row.slot} ${row.block_tx_index}`
    this.sought.push({ signature, hash, position, pool, location: row.location })
  }

  /** Looks up the swaps since the last call: every one must be found by its signature, with its position. */
  async findSignatures(): Promise<void> {
    const { sought } = this
    this.sought = []
    for (let from = 0; from < sought.length; from += SIGNATURES_A_PAGE) {
      await this.findPage(sought.slice(from, from + SIGNATURES_A_PAGE))
    }
  }

  private async findPage(page: readonly Sought[]): Promise<void> {
    const sealed = page.flatMap(({ hash, location }) =>
      location === undefined ? [] : [{ hash, ...location }],
    )
    const isFound = (
      sealed.length === 0 ? [] : await areSignaturesFound(this.connection, sealed)
    ).values()
    const hashes = page.flatMap(({ hash, location }) => (location === undefined ? [hash] : []))
    const rows = hashes.length === 0 ? [] : await findSignaturePositions(this.connection, hashes)
    const found = new Set(
      rows.map((row) => `${row.signature_hash} ${row.slot} ${row.block_tx_index}`),
    )
    for (const { signature, position, pool, location } of page) {
      const isSought = location === undefined ? found.has(position) : isFound.next().value === true
      const stored = isSought ? position : 'not found'
      this.signatures.row(`${signature} ${pool}`, stored, position, pool)
    }
  }
}

/**
 * The hashed columns of a row as JSON, in the order of earlier versions. Not the ids, which differ between installations, the impact,
 * which is folded, and the block's hash. The virtual reserves of the quote are last, where a swap states them: without, a swap has
 * the hash that it had before they were stored.
 */
function factsOf(row: SwapRow): string {
  const values: SwapRow[keyof SwapRow][] = [
    row.slot,
    row.block_tx_index,
    row.ix_index,
    row.timestamp_ms,
    row.dex,
    row.is_buy,
    row.signature,
    row.pair_address,
    row.token_address,
    row.user_address,
    row.sol_amount,
    row.token_amount,
    row.fee,
    row.fee_bps,
    row.creator_fee,
    row.creator_fee_bps,
    row.quote_decimals,
    row.virtual_sol_reserves,
    row.virtual_token_reserves,
    row.real_sol_reserves,
    row.real_token_reserves,
    row.transfer_fee_in,
    row.transfer_fee_out,
    row.cashback,
    row.cashback_bps,
    row.time_source,
    row.agent_trade,
    row.pool_price,
    row.price_before,
    row.price_after,
  ]
  if (row.virtual_quote_reserves !== null) values.push(row.virtual_quote_reserves)
  // Named, so that swaps without any have the text that earlier versions gave them.
  if (row.outside_protocol_bps !== null) values.push(`protocol ${row.outside_protocol_bps}`)
  if (row.outside_creator_bps !== null) values.push(`creator ${row.outside_creator_bps}`)
  for (let index = 0; index < values.length; index++) {
    if (typeof values[index] === 'bigint') values[index] = `${values[index]}`
  }
  return JSON.stringify(values)
}
