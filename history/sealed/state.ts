/**
 * Reads hot and sealed swaps as one state. Swaps move between `swap` and the segments in single transactions, each of which
 * counts up the version of sealed history; a reader compares the version from before its statements with that from after
 * them, and reads again where it changed. Within a snapshot it never changes.
 *
 * Decision: docs/decisions/0097-a-seal-is-one-transaction.md
 */
import type pg from 'pg'
import type { Int64 } from '../../domain/amount.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'

/** A run of slots that is sealed, both ends included; `goneCount`: rows that no longer count. */
export type Segment = {
  readonly id: number
  readonly firstSlot: number
  readonly lastSlot: number
  readonly format: number
  readonly rowCount: number
  readonly signatureBits: number
  readonly walletBits: number
  readonly goneCount: number
}
/** Where stored swaps begin: swaps of earlier slots were dropped. All of these are earlier than `ms`, Unix ms, a whole minute. */
export type Since = { readonly slot: number; readonly ms: number }
/**
 * `lastSlot`: the greatest slot that is sealed or dropped, -1 without one. `segments`: by slot. `since`: undefined where no swap was
 * dropped.
 */
export type Sealed = {
  readonly version: Int64
  readonly lastSlot: number
  readonly segments: readonly Segment[]
  readonly since: Since | undefined
}

/** Sealed history changed while it was read: the transaction is to be run again. */
export class HistoryMoved extends Error {
  /** The code of a serialization failure, which callers run again. */
  readonly code = '40001'

  constructor() {
    super('swaps were sealed while they were read: run the transaction again')
  }
}

/** Seals are minutes apart, and a read takes seconds at most. */
const TRIES_MAX = 5

type StateRow = {
  version: Int64
  segments: Segment[]
  since_slot: number | null
  since_ms: number | null
}

const readSegments = query<StateRow>('sealed-history/read_segments')
const readVersion = query<{ version: Int64 }>('sealed-history/read_version')

/** The state that was last read on a connection or pool. */
const known = new WeakMap<Queryable, Sealed>()
/** States that were not those of a later statement. */
const outdated = new WeakSet<Sealed>()

/** Reads what is sealed, as of the connection's snapshot or now. */
export async function readSealed(db: Queryable): Promise<Sealed> {
  const [row] = await readSegments(db)
  const { version, segments, since_slot: slot, since_ms: ms } = row!
  const since = slot === null || ms === null || slot === 0 ? undefined : { slot, ms }
  const lastSlot = Math.max(segments.at(-1)?.lastSlot ?? -1, (since?.slot ?? 0) - 1)
  const sealed = { version, lastSlot, segments, since }
  known.set(db, sealed)
  return sealed
}

/** Returns what was sealed when it was last read on this connection or pool, or reads it. */
export async function knownSealed(db: Queryable): Promise<Sealed> {
  const sealed = known.get(db)
  return sealed === undefined || outdated.has(sealed) ? readSealed(db) : sealed
}

/** The error by which work that was prepared by this state is done again by the present one. */
export function movedSince(sealed: Sealed): HistoryMoved {
  outdated.add(sealed)
  return new HistoryMoved()
}

/** The next reader looks up what is sealed. */
export function forgetSealed(db: Queryable): void {
  known.delete(db)
}

/**
 * Throws HistoryMoved where a run of slots that ends at or after `lowSlot` was sealed or dropped since `sealed` was read. Rows
 * that other lanes moved back to `swap` since are of their own pools.
 */
export async function expectSealedAlike(
  db: Queryable,
  sealed: Sealed,
  lowSlot: Int64,
): Promise<void> {
  if (await isCurrent(db, sealed)) return
  const idsOf = ({ segments }: Sealed) =>
    segments.filter(({ lastSlot }) => lastSlot >= lowSlot).map(({ id }) => id)
  const now = await readSealed(db)
  const isDropped = now.since?.slot !== sealed.since?.slot && lowSlot < (now.since?.slot ?? 0)
  if (isDropped || idsOf(now).join() !== idsOf(sealed).join()) throw new HistoryMoved()
}

/**
 * Runs `read` so that the state that it is given holds during all of its statements. `read` may run several times, so it only
 * reads. Throws HistoryMoved where history changed each time.
 */
export async function withSealed<Result>(
  db: Queryable,
  read: (sealed: Sealed) => Promise<Result>,
): Promise<Result> {
  let sealed = await knownSealed(db)
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const result = await read(sealed)
    if (await isCurrent(db, sealed)) return result
    sealed = await readSealed(db)
  }
  throw new HistoryMoved()
}

/**
 * Reads slots from `lowSlot` on: by one statement of `swap` where none of them is sealed, else as withSealed does. On a
 * connection the version is read without waiting for that statement.
 */
export async function withSealedFrom<Result>(
  db: Queryable,
  lowSlot: Int64,
  hot: () => Promise<Result>,
  mixed: (sealed: Sealed) => Promise<Result>,
): Promise<Result> {
  const sealed = await knownSealed(db)
  if (sealed.lastSlot >= lowSlot) return withSealed(db, mixed)
  const reading = hot()
  const [result, isSame] = isConnection(db)
    ? await Promise.all([reading, isCurrent(db, sealed)])
    : [await reading, await isCurrent(db, sealed)]
  if (isSame) return result
  return withSealed(db, mixed)
}

/** Runs work that writes once, so that the state that it is given holds meanwhile. Throws HistoryMoved, and the caller runs its transaction again. */
export async function withSealedOnce<Result>(
  db: Queryable,
  write: (sealed: Sealed) => Promise<Result>,
): Promise<Result> {
  const sealed = await readSealed(db)
  const result = await write(sealed)
  if (await isCurrent(db, sealed)) return result
  throw new HistoryMoved()
}

async function isCurrent(db: Queryable, sealed: Sealed): Promise<boolean> {
  const isSame = (await readVersion(db))[0]!.version === sealed.version
  if (!isSame) outdated.add(sealed)
  return isSame
}

/** Statements of a connection run in the order in which they are sent; those of a pool do not. */
const isConnection = (db: Queryable): db is pg.ClientBase => !('totalCount' in db)
