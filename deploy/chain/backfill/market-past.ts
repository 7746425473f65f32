/**
 * The past of one market of a portal, as lines: the calls that name it.
 *
 * Some venues have calls that name the pool and no mint. Of a mint its pools are therefore read, too: those that are known, and
 * in further passes those that the calls found so far traded in or created.
 *
 * Decision: docs/decisions/0092-a-mints-past-reads-its-pools.md
 */

import type { Market } from '../../../chain/sources/portal/market.ts'
import { MENTIONS_MAX } from '../../../chain/sources/portal/query.ts'
import { venuesOfBits } from '../../../domain/coverage.ts'
import { isAddress } from '../../../domain/numbers/base58.ts'
import { venueOf } from '../../../domain/venue.ts'
import type { Db } from '../../../sql/db.ts'
import { query } from '../../../sql/query.ts'
import { UsageError } from '../../cli/arguments.ts'
import { counted, duration, grouped } from '../../cli/format.ts'
import type { Backfill, Outcome, Part } from './backfill.ts'

const listTokenPools = query<{ pair_address: string }>('pairs/list_token_pools')

type MarketValues = {
  portal?: boolean | undefined
  pool?: string | undefined
  mint?: string | undefined
}

/** Undefined without an option that names one. Throws UsageError. */
export function marketOf({ portal, pool, mint }: MarketValues): MarketPast | undefined {
  const kind = pool === undefined ? 'mint' : 'pool'
  const account = pool ?? mint
  if (account === undefined) return undefined
  if (pool !== undefined && mint !== undefined) {
    throw new UsageError(`--mint "${mint}": expected without --pool`)
  }
  if (!isAddress(account)) throw new UsageError(`--${kind} "${account}": expected an address`)
  if (!portal) throw new UsageError(`--${kind} reads from a portal: add --portal`)
  return new MarketPast(kind, account)
}

class MarketPast {
  readonly #kind: Market['kind']
  readonly #account: string
  /** Pools of a mint that were or are read by their own address. */
  readonly #pools = new Set<string>()

  constructor(kind: Market['kind'], account: string) {
    this.#kind = kind
    this.#account = account
  }

  /** False where it was aborted before the end. */
  async read(backfill: Backfill, parts: readonly Part[], db: Db): Promise<boolean> {
    const [kind, account] = [this.#kind, this.#account]
    if (kind === 'pool') return await backfill.read(parts, { kind, account, accounts: [account] })
    const rows = await listTokenPools(db, [[account]])
    let next = new Set(rows.map(({ pair_address }) => pair_address))
    const waiting = [account]
    while (waiting.length > 0 || next.size > 0) {
      for (const pool of next) this.#pools.add(pool)
      waiting.push(...next)
      next = new Set()
      const accounts = waiting.splice(0, MENTIONS_MAX)
      const onPool = (pool: string): void => {
        if (!this.#pools.has(pool)) next.add(pool)
      }
      if (!(await backfill.read(parts, { kind, account, accounts, onPool }))) return false
    }
    return true
  }

  /** `12,345 swaps of pool ADDRESS published in 12 s, 20 already stored; lines, which cover no slot`; `venues` as bits. */
  sentence({ swaps, duplicates, tookMs }: Outcome, venues: number): string {
    const already = duplicates === 0 ? '' : `, ${grouped(duplicates)} already stored`
    const published = `${counted(swaps, 'swap')} of ${this.#kind} ${this.#account} published in ${duration(tookMs)}`
    return [`${published}${already}`, 'lines, which cover no slot', ...this.#limits(venues)].join(
      '; ',
    )
  }

  #limits(venues: number): string[] {
    const unnamed = venuesOfBits(venues).filter((dex) => venueOf(dex).hasCallsWithoutMint)
    if (this.#kind === 'pool' || unnamed.length === 0) return []
    const names = unnamed.map((dex) => venueOf(dex).name).join()
    const read = `${counted(this.#pools.size, 'pool')} of the mint read by address`
    return [`${read}: calls of ${names} may name no mint, read further pools by --pool`]
  }
}
