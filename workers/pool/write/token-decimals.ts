/**
 * Reports tokens whose token line and swaps differ in decimals. Swaps count (docs/semantics.md#metadata-of-a-token);
 * the line is stored as metadata. Each process reports a mint once, whichever of the two arrived last.
 */

import type { Token } from '../../../domain/events/token.ts'
import type { Log } from '../../../domain/log.ts'
import type { Connection, Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import type { PoolState } from '../pool-state.ts'

type Contradicted = { token_address: string; line_decimals: number; swap_decimals: number }

const listContradicted = query<Contradicted>('pool/list_contradicted_tokens')

/** Past it, all are forgotten: they are reported again. */
const REPORTED_MAX = 10_000

const byDb = new WeakMap<Db, TokenDecimals>()

/** One for all lanes of a process: the pools of a mint lie on several. */
export function tokenDecimalsOf(db: Db, log: Log): TokenDecimals {
  let known = byDb.get(db)
  if (known === undefined) {
    known = new TokenDecimals(log)
    byDb.set(db, known)
  }
  return known
}

export class TokenDecimals {
  private readonly log: Log
  private readonly reported = new Set<string>()

  constructor(log: Log) {
    this.log = log
  }

  /** Mints to be compared when a batch is written: of lines with decimals, and of swaps that change them. */
  changedBy(
    tokens: readonly Token[],
    pools: readonly PoolState[],
    decimalsBefore: readonly (number | undefined)[],
  ): string[] {
    const mints = new Set<string>()
    for (const { tokenAddress, decimals } of tokens) {
      if (decimals !== undefined) mints.add(tokenAddress)
    }
    for (const [index, { tokenAddress, last }] of pools.entries()) {
      if (last?.quoteDecimals !== decimalsBefore[index]) mints.add(tokenAddress)
    }
    return [...mints]
  }

  /** After the writes of the same transaction. */
  async report(connection: Connection, mints: readonly string[]): Promise<void> {
    for (const row of await listContradicted(connection, [mints])) {
      const { token_address: mint, line_decimals: ofLine, swap_decimals: ofSwaps } = row
      if (this.reported.size > REPORTED_MAX) this.reported.clear()
      if (this.reported.has(mint)) continue
      this.reported.add(mint)
      this.log.warn({ mint, ofLine, ofSwaps }, 'ignored decimals of token line: its swaps differ')
    }
  }
}
