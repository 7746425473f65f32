/**
 * Names mints that are seen and nameless, by what a transaction stated of them, else by a node's accounts, and finds links to
 * their pictures where that is switched on.
 *
 * Law: what events state always wins, because looked-up texts have slot -1. A mint without a name is looked up again after
 * growing pauses and a bounded number of times; a node that fails ends the run without a miss, and the job is repeated.
 *
 * Decision: docs/decisions/0093-looked-up-names-have-slot-minus-one.md
 */
import {
  type FoundNames,
  MINTS_A_REQUEST,
  type NamesProvider,
} from '../../chain/accounts/names-provider.ts'
import { NodeUnavailable } from '../../chain/rpc/json-rpc.ts'
import type { Log } from '../../domain/log.ts'
import { storedSearchKey } from '../../domain/text/search-key.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { DocumentUnusable } from '../../streams/outgoing/get-document.ts'
import { TargetRefused } from '../../streams/outgoing/target.ts'
import type { ImageReader } from '../../streams/outgoing/token-image.ts'
import type { JobFunction } from './job-function.ts'

type Nameless = { id: number; mint: string; misses: number }
type Stated = { id: number; mint: string } & Record<'symbol' | 'name' | 'uri', string | null>
type Imageless = Nameless & { uri: string }

const listNameless = query<Nameless>('token-names/list_nameless')
const listStated = query<Stated>('token-names/list_stated')
const deleteStated = query('token-names/delete_stated')
const listImageless = query<Imageless>('token-names/list_imageless')
const updateNames = query('token-names/update_names')
const updateMisses = query('token-names/update_misses')
const updateImages = query('token-names/update_images')
const updateImageMisses = query('token-names/update_image_misses')

/** Pauses after each miss; after the last of them a mint is not looked up again. */
export const PAUSES_MS = [10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS]
const STATED_A_PAGE = 1_000
/** Mints and documents of one run; the next one continues with the remaining ones. */
const RUN_MINTS_MAX = 2_000
const RUN_DOCUMENTS_MAX = 200
/** Documents that are requested at once: gateways are slow. */
const DOCUMENTS_AT_ONCE = 4

export const nameTokens: JobFunction<'token-names'> = async (_payload, deps, signal) => {
  const { db, log, names, images } = deps
  await nameStated(db, signal)
  if (names !== undefined) await nameAll(db, log, names, signal)
  if (images !== undefined) await findImages(db, log, images, signal)
}

/** When a mint is looked up again after so many misses; null: not again. */
export function nextLookMs(misses: number, nowMs: number): number | null {
  const pause = PAUSES_MS[misses - 1]
  return pause === undefined ? null : nowMs + pause
}

/** Names of transactions first: they were stated when the mint was made. */
async function nameStated(db: Db, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const stated = await listStated(db, [STATED_A_PAGE])
    if (stated.length === 0) return
    const named = stated.map(({ id, symbol, name, uri }) => ({
      id,
      source: 'transaction' as const,
      ...(symbol === null ? {} : { symbol }),
      ...(name === null ? {} : { name }),
      ...(uri === null ? {} : { uri }),
    }))
    await updateNames(db, nameColumns(named))
    await deleteStated(db, [stated.map(({ mint }) => mint)])
  }
}

async function nameAll(db: Db, log: Log, names: NamesProvider, signal: AbortSignal): Promise<void> {
  const due = await listNameless(db, [Date.now(), RUN_MINTS_MAX])
  for (let from = 0; from < due.length; from += MINTS_A_REQUEST) {
    signal.throwIfAborted()
    const page = due.slice(from, from + MINTS_A_REQUEST)
    const found = await findNames(page, names, log, signal)
    const named = page.flatMap(({ id, mint }) => {
      const texts = found.get(mint)
      return texts === undefined ? [] : [{ id, ...texts }]
    })
    await updateNames(db, nameColumns(named))
    const missed = page.filter(({ mint }) => !found.has(mint))
    await updateMisses(db, missColumns(missed))
  }
}

/** An answer of the node that cannot be read names none of these mints: they are misses, and the others go on. */
async function findNames(
  page: readonly Nameless[],
  names: NamesProvider,
  log: Log,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FoundNames>> {
  try {
    return await names.find(
      page.map(({ mint }) => mint),
      signal,
    )
  } catch (error) {
    if (!(error instanceof NodeUnavailable) || error.isOfProvider) throw error
    log.warn({ err: error, mints: page.length }, 'failed to look up names of mints')
    return new Map()
  }
}

const keyOf = (text: string | undefined): string | null =>
  text === undefined ? null : storedSearchKey(text)

type Named = Omit<FoundNames, 'source'> & {
  id: number
  source: FoundNames['source'] | 'transaction'
}

function nameColumns(named: readonly Named[]): unknown[][] {
  return [
    named.map(({ id }) => id),
    named.map(({ source }) => source),
    named.map(({ symbol }) => symbol ?? null),
    named.map(({ name }) => name ?? null),
    named.map(({ uri }) => uri ?? null),
    named.map(({ symbol }) => keyOf(symbol)),
    named.map(({ name }) => keyOf(name)),
  ]
}

function missColumns(missed: readonly Nameless[]): unknown[][] {
  const nowMs = Date.now()
  return [
    missed.map(({ id }) => id),
    missed.map(({ misses }) => misses + 1),
    missed.map(({ misses }) => nextLookMs(misses + 1, nowMs)),
  ]
}

async function findImages(
  db: Db,
  log: Log,
  images: ImageReader,
  signal: AbortSignal,
): Promise<void> {
  const due = await listImageless(db, [Date.now(), RUN_DOCUMENTS_MAX])
  for (let from = 0; from < due.length; from += DOCUMENTS_AT_ONCE) {
    signal.throwIfAborted()
    const page = due.slice(from, from + DOCUMENTS_AT_ONCE)
    const links = await Promise.all(page.map((token) => imageOf(token, images, log, signal)))
    const read = page.flatMap((token, index) => {
      const image = links[index]
      return image === undefined ? [] : [{ ...token, image }]
    })
    await updateImages(db, [
      read.map(({ id }) => id),
      read.map(({ uri }) => uri),
      read.map(({ image }) => image),
    ])
    await updateImageMisses(db, missColumns(page.filter((_, index) => links[index] === undefined)))
  }
}

/** Undefined where the document cannot be read now. */
async function imageOf(
  { uri, mint }: Imageless,
  images: ImageReader,
  log: Log,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  try {
    return await images.read(uri, signal)
  } catch (error) {
    // A refused address stays refused.
    if (error instanceof TargetRefused) return null
    if (!(error instanceof DocumentUnusable)) throw error
    log.debug({ err: error, mint }, 'failed to read document of token')
    return undefined
  }
}
