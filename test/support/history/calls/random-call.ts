/** Random arguments for calls of the functions that read stored swaps. */
import type { Swap } from '../../../../domain/events/swap.ts'
import type { Connection } from '../../../../sql/db.ts'
import type { Queryable } from '../../../../sql/driver/queryable.ts'
import type { Prng } from '../../../../streams/simulator/prng.ts'

type Named = { id: number; base58: string }
type Minute = { pool_id: number; bucket_ms: number; first_slot: number; last_slot: number }
export type Market = {
  swaps: readonly Swap[]
  pools: readonly Named[]
  tokens: readonly Named[]
  wallets: readonly Named[]
  minutes: readonly Minute[]
}
/** `wanted`: the arguments, for messages. */
type Call<Db> = { wanted: unknown; run: (db: Db) => Promise<unknown>; isOnConnection?: boolean }
export type Read = (prng: Prng, market: Market) => Call<Queryable>
/** `table`: that is written. */
export type Write = (prng: Prng, market: Market) => Call<Connection> & { table: string }

export const HOUR_MS = 3_600_000
export const MINUTE_MS = 60_000
export const SLOT_MAX = Number.MAX_SAFE_INTEGER

export const one = <Value>(prng: Prng, values: readonly Value[]): Value =>
  values[prng.below(values.length)]!
export const some = <Value>(prng: Prng, values: readonly Value[], most = 4): Value[] => [
  ...new Set(Array.from({ length: 1 + prng.below(most) }, () => one(prng, values))),
]
export const idsOf = (prng: Prng, rows: readonly Named[], most?: number): number[] =>
  some(prng, rows, most).map(({ id }) => id)
export const slotOf = (prng: Prng, { swaps }: Market): number =>
  Number(one(prng, swaps).slot) + prng.below(3) - 1
export const msOf = (prng: Prng, { swaps }: Market): number =>
  Number(one(prng, swaps).timestamp) + prng.below(3) - 1
export const rangeOf = (prng: Prng, market: Market): { low: number; high: number } => {
  if (prng.chance(0.2)) return { low: 0, high: SLOT_MAX }
  const [a, b] = [slotOf(prng, market), slotOf(prng, market)]
  return { low: Math.min(a, b), high: Math.max(a, b) }
}
export const rowsOf = (prng: Prng): number => one(prng, [1, 2, 5, 20, 100, 1_000])
export const all = async <Row>(pages: AsyncIterable<readonly Row[]>): Promise<Row[]> => {
  const rows: Row[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}
export const read = (wanted: unknown, run: Call<Queryable>['run']): Call<Queryable> => ({
  wanted,
  run,
})
export const cursor = (wanted: unknown, run: Call<Queryable>['run']): Call<Queryable> => ({
  ...read(wanted, run),
  isOnConnection: true,
})
