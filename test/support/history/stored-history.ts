/** Random swaps as rows of `swap` and `swap_signature`, and everything that is stored of them, hot or sealed. */
import fc from 'fast-check'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { pairHash, signatureHash } from '../../../domain/numbers/signature-hash.ts'
import type { SealedSwap } from '../../../history/codec/row.ts'
import { ofSlots } from '../../../history/sealed/find/slots.ts'
import { readSealed } from '../../../history/sealed/state.ts'
import { handedColumns } from '../../../history/sealed/statement.ts'
import type { StoredSwap } from '../../../history/sealed/stored-swap.ts'
import type { Connection } from '../../../sql/db.ts'
import type { Queryable } from '../../../sql/driver/queryable.ts'
import { query } from '../../../sql/query.ts'
import { anyRow, signature } from './row-cases.ts'

const POOLS = 5
const WALLETS = 6
/** Slots of a small history: some tens of swaps each. */
export const FIRST_SLOT = 400_000_000
const SLOTS = 40_000
export const ALL_SLOTS = { low: 0, high: Number.MAX_SAFE_INTEGER }

const insertSwaps = query('thawing/insert_swaps')

const addressOf = (kind: string, id: number): string => `${kind}${id}`

/** Pools of two mints, and wallets; every pool has its first swap in a slot of its own. */
export async function storeNames(db: Queryable): Promise<void> {
  await db.query(`
    insert into token (id, address) overriding system value values (1, 'mint1'), (2, 'mint2');
    insert into pool (id, pair_address, token_id, first_slot) overriding system value
      select id, 'pair' || id, 1 + id % 2, id from generate_series(1, ${POOLS}) as id;
    insert into wallet (id, address) overriding system value
      select id, 'wallet' || id from generate_series(1, ${WALLETS}) as id;
  `)
}

/** Swaps of few pools, wallets and transactions, many of them at one position; each identity once. */
export function manySwaps(count: number): fc.Arbitrary<StoredSwap[]> {
  const placed = fc.record({
    slot: fc.nat(SLOTS).map((slot) => FIRST_SLOT + slot),
    block_tx_index: fc.nat(2),
    ix_index: fc.nat(2),
    pool_id: fc.integer({ min: 1, max: POOLS }),
    wallet_id: fc.integer({ min: 1, max: WALLETS }),
    signed: fc.nat(4 * count),
    hash: fc.option(fc.nat(2), { freq: 3 }),
  })
  return fc.array(fc.tuple(anyRow, placed), { minLength: count, maxLength: count }).map((rows) => {
    const stored = rows.map(([row, chainPosition]) => storedOf(row, chainPosition))
    const identities = new Map(stored.map((swap) => [identityOf(swap), swap]))
    return [...identities.values()]
  })
}

const identityOf = (swap: StoredSwap): string =>
  `${swap.slot} ${swap.signature} ${swap.pool_id} ${swap.ix_index}`

function storedOf(
  row: SealedSwap,
  { signed, hash, ...chainPosition }: { signed: number; hash: number | null; slot: number },
): StoredSwap {
  const bytes = signature(signed)
  return {
    ...row,
    ...chainPosition,
    signature: encodeBase58(bytes),
    blockhash:
      hash === null ? null : encodeBase58(signature(chainPosition.slot + hash).subarray(0, 32)),
    timestamp_ms: 1_780_000_000_000 + 400 * (chainPosition.slot - FIRST_SLOT),
  }
}

/** Inserts swaps, and a signature for each transaction and pool. */
export async function storeSwaps(db: Queryable, swaps: readonly StoredSwap[]): Promise<void> {
  await insertSwaps(db, handedColumns(swaps))
  const positions = new Map(
    swaps.map((swap) => [
      `${swap.signature} ${swap.pool_id} ${swap.slot} ${swap.block_tx_index}`,
      swap,
    ]),
  )
  const copies = new Map<string, number>()
  const rows = [...positions.values()].map((swap) => {
    const hash = pairHash(addressOf('pair', swap.pool_id))
    const key = `${swap.signature} ${swap.pool_id}`
    const copy = copies.get(key) ?? 0
    copies.set(key, copy + 1)
    return [signatureHash(swap.signature), swap.slot, swap.block_tx_index, hash, copy] as const
  })
  await db.query(
    `insert into swap_signature (signature_hash, slot, block_tx_index, pair_hash, copy)
     select hash, slot, block_tx_index, pair, copy + coalesce((
       select max(stored.copy) + 1 from swap_signature as stored
       where stored.signature_hash = hash and stored.pair_hash = pair
     ), 0)
     from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::integer[])
       as placed (hash, slot, block_tx_index, pair, copy)`,
    [0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column])),
  )
}

/** All rows of `swap`. */
export async function hotSwaps(db: Queryable): Promise<StoredSwap[]> {
  return (await db.query<StoredSwap>('select * from swap')).rows
}

/** All rows of segments that count. */
export async function sealedSwaps(db: Queryable): Promise<StoredSwap[]> {
  return ofSlots(db, await readSealed(db), [ALL_SLOTS], { order: 'asc' })
}

/** Each swap as a text, in one order: equal for the same swaps, bits of doubles included. */
export function textsOf(swaps: readonly StoredSwap[]): string[] {
  return swaps.map(textOf).sort()
}

function textOf(swap: StoredSwap): string {
  const columns = Object.entries(swap).sort(([a], [b]) => (a < b ? -1 : 1))
  return columns
    .map(([name, value]) => `${name}=${Object.is(value, -0) ? '-0' : String(value)}`)
    .join(' ')
}

export async function signatureRows(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::integer from swap_signature')
  return rows[0]!.count
}

type Step = (statement: string) => Promise<unknown>

/** A connection that runs `before` ahead of each statement, and `after` once it is answered. */
export function stepping(connection: Connection, before: Step, after: Step = async () => {}) {
  const query = async (...given: [unknown, ...unknown[]]): Promise<unknown> => {
    const [statement] = given
    const text = typeof statement === 'string' ? statement : (statement as { text: string }).text
    await before(text)
    const answer = await Reflect.apply(connection.query, connection, given)
    await after(text)
    return answer
  }
  return Object.create(connection, { query: { value: query } }) as Connection
}
