/**
 * Answers as of a slot equal those of an installation that was fed up to this slot, byte for byte, on every route that accepts
 * `as_of_slot`: after late arrivals, also into days that are stored, duplicates and a retraction, with some slots sealed. Histories are
 * by seed.
 */
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../../api/main.ts'
import type { Event, MarketEvent } from '../../../../domain/events/event.ts'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { backfillChart } from '../../../../workers/jobs/chart-backfill.ts'
import { followSandwiches } from '../../../../workers/sandwiches/follow.ts'
import { SILENT } from '../../../support/api/api-under-test.ts'
import {
  asOfHistory,
  disordered,
  SCENE_SLOTS,
  upTo,
} from '../../../support/api/walk/as-of-history.ts'
import { answersOf } from '../../../support/api/walk/installation.ts'
import { differencesOf, NOT_STORED, type Walked } from '../../../support/api/walk/routes.ts'
import { type Subjects, someOf, subjectsOf } from '../../../support/api/walk/subjects.ts'
import { feedApi } from '../../../support/feed/feed-api.ts'
import { sealSome } from '../../../support/history/seal-some.ts'
import { untilRankingCaughtUp } from '../../../support/ranking/ranking.ts'
import { freshSeed, requestedSeed, sizeOf } from '../../../support/seed.ts'
import { untilLedgerCaughtUp } from '../../../support/workers/ledger.ts'
import { openPipeline, type Pipeline, publishAll } from '../../../support/workers/pipeline.ts'
import { runWorker } from '../../../support/workers/running-worker.ts'

const BOUND_MS = 120_000
const SEED = requestedSeed() ?? freshSeed()
const SWAPS = sizeOf({ daily: 60, long: 200 })
/** Random slots at which every request is compared. */
const SLOTS = sizeOf({ daily: 1, long: 20 })
/** Slots within scenes of attacks and directly after them, likewise. */
const SCENES = sizeOf({ daily: 2, long: 20 })
/** Random slots at which some requests of each route are compared. */
const SAMPLED_SLOTS = sizeOf({ daily: 1, long: 180 })
const SAMPLED_REQUESTS = 3
const SUBJECTS_MAX = 2
const SIGNATURES_MAX = 20
const SANDWICHES = ['getMevSummary', 'getTransactionMev', 'getWalletMev', 'listSandwiches']

test(`answers as of a slot are those of an installation fed up to it, by seed ${SEED}`, async (t) => {
  const prng = new Prng([SEED])
  const { events, block, retraction, lastSlot, sceneSlots } = asOfHistory(prng, SWAPS)
  const all = subjectsOf([...events, ...block])
  const { signatures } = someOf(all, SIGNATURES_MAX)
  const subjects = { ...someOf(all, SUBJECTS_MAX, prng.unit()), signatures }
  const whole = await openInstallation(t)
  const arriving = disordered(prng, events)
  await feed(whole, [...arriving.slice(0, SWAPS / 2), ...block])
  // Late swaps are of these days. Those of one wallet are stored again after them.
  for (const wallet of subjects.wallets) await backfillChart({ wallet }, whole)
  await feed(whole, [...arriving.slice(SWAPS / 2), retraction])
  await backfillChart({ wallet: subjects.wallets[0]! }, whole)
  await sealSome(whole.db, prng)
  const part = await openInstallation(t)
  // Before each comparison the stored days are deleted, those of closed days, too.
  await part.db.query('alter table chart_day disable trigger chart_day_closed_deletion')
  const { slots, sampled } = slotsOf(prng, { lastSlot, sceneSlots })
  let earlier: { slot: number; own: Walked } | undefined
  for (const [n, slot] of slots.entries()) {
    const own = upTo(events, slot)
    const fed = n === 0 ? [] : upTo(events, slots[n - 1]!)
    await feed(
      part,
      own.filter((event) => !fed.includes(event)),
    )
    // An installation that was fed up to the slot at once has not stored the value of a day before.
    await part.db.query('delete from chart_day')
    // The clock of the other installation is at its latest swap.
    const latestMs = latestOf(own)
    const clock = latestMs === undefined ? {} : { now: () => latestMs }
    const chosen = { subjects, sample: sampled.has(slot) ? [SEED, slot] : undefined }
    const past = await answersAt(whole, chosen, { asOf: slot })
    const now = await answersAt(part, chosen, { asOf: 'now', ...clock })
    t.true(past.size > 50)
    const again = `slot ${slot} (again: SIMULATION_SEED=${SEED})`
    t.deepEqual(differencesOf(past, now), [], again)
    const isAllStored = events.every((event) => event.kind !== 'token' || event.token.slot <= slot)
    t.false(isAllStored && [...past.values()].includes(NOT_STORED), again)
    if (earlier !== undefined && hasSwapAfter(own, earlier.slot)) {
      const later = await answersOf(part, subjects, {
        asOf: earlier.slot,
        operationIds: SANDWICHES,
      })
      t.deepEqual(differencesOf(earlier.own, later), [], `sandwiches of ${earlier.slot}, ${again}`)
    }
    if (!sampled.has(slot)) earlier = { slot, own: sandwichesOf(past) }
  }
  await answersWhatWasRead(t, whole, { slot: lastSlot, wallet: subjects.wallets[0]! })
  await refusesWhatIsNotApplied(t, whole, { slot: lastSlot, wallet: subjects.wallets[0]! })
})

/** Sandwiches are compared with those of an installation that was fed a little more, too: near the newest slot, much is not settled. */
const sandwichesOf = (walked: Walked): Walked =>
  new Map([...walked].filter(([request]) => request.includes('/v2/mev/')))

const hasSwapAfter = (events: readonly MarketEvent[], slot: number): boolean =>
  events.some((event) => event.kind === 'swap' && event.swap.slot > slot)

/** Rising slots: before the first swap, random ones, those of scenes, and the last. */
function slotsOf(
  prng: Prng,
  { lastSlot, sceneSlots }: { lastSlot: number; sceneSlots: readonly number[] },
): { slots: number[]; sampled: ReadonlySet<number> } {
  const draw = (count: number) =>
    Array.from({ length: count }, () => 1_000 + prng.below(lastSlot - 999))
  const random = draw(SLOTS)
  const scenes = Array.from({ length: SCENES }, () => sceneSlots[prng.below(sceneSlots.length)]!)
  const within = scenes.map((slot) => Math.min(lastSlot, slot + prng.below(SCENE_SLOTS)))
  const whole = new Set([999, ...random, ...within, lastSlot])
  const sampled = new Set(draw(SAMPLED_SLOTS).filter((slot) => !whole.has(slot)))
  return { slots: [...whole, ...sampled].sort((a, b) => a - b), sampled }
}

/** Answers to all requests, or to some of each route, the same ones by the same `sample`. */
function answersAt(
  pipeline: Pipeline,
  { subjects, sample }: { subjects: Subjects; sample: number[] | undefined },
  options: NonNullable<Parameters<typeof answersOf>[2]>,
): ReturnType<typeof answersOf> {
  if (sample === undefined) return answersOf(pipeline, subjects, options)
  const prng = new Prng(sample)
  const choose: typeof options.choose = (requests) =>
    [...Map.groupBy(requests, ({ operationId }) => operationId).values()].flatMap((own) =>
      Array.from({ length: SAMPLED_REQUESTS }, () => own[prng.below(own.length)]!),
    )
  return answersOf(pipeline, subjects, { ...options, choose })
}

/** One lane: with several, one without new messages notes some seconds later that none are left. */
async function openInstallation(t: ExecutionContext): Promise<Pipeline> {
  const pipeline = await openPipeline(t, { laneCount: 1 })
  await runWorker(t, pipeline, { actors: ['pool', 'ledger', 'ranking'] })
  return pipeline
}

async function feed(pipeline: Pipeline, events: readonly Event[]): Promise<void> {
  await publishAll(pipeline, events)
  await untilLedgerCaughtUp(pipeline, BOUND_MS)
  await untilRankingCaughtUp(pipeline, BOUND_MS)
  await followSandwiches(pipeline.db, AbortSignal.timeout(BOUND_MS))
}

function latestOf(events: readonly MarketEvent[]): number | undefined {
  const times = events.flatMap((event) => (event.kind === 'swap' ? event.swap.timestamp : []))
  return times.length === 0 ? undefined : Math.max(...times)
}

/** The newest commit is answered once this process has read it from FEED, before its owner notes that FEED has it. */
async function answersWhatWasRead(
  t: ExecutionContext,
  pipeline: Pipeline,
  { slot, wallet }: { slot: number; wallet: string },
): Promise<void> {
  const { api, keyFor, untilRead } = await feedApi(t, { pipeline })
  const { key } = await keyFor('enterprise')
  await untilRead()
  await pipeline.db.query(
    `update checkpoint set first_slots = array[$1::bigint], last_slots = array[$1::bigint] where actor = 'pool'`,
    [slot],
  )
  const get = async (path: string) => {
    const response = await fetch(`${api.url}${path}`, { headers: { 'X-API-Key': key } })
    return { status: response.status, body: await response.json() }
  }
  const { body } = await get('/api/v1/slot')
  t.like(body, { data: { slot, newest_slot: slot, held_by: null } })
  t.is((await get(`/wallets/${wallet}/stats?window=all&as_of_slot=${slot}`)).status, 200)
  await pipeline.db.query(
    `update checkpoint set first_slots = '{}', last_slots = '{}' where actor = 'pool'`,
  )
}

/**
 * A fold of too many swaps (of one venue all are folded), a position that is being recomputed, and events that the ledger has not
 * read.
 */
async function refusesWhatIsNotApplied(
  t: ExecutionContext,
  { db, databaseUrl }: Pipeline,
  { slot, wallet }: { slot: number; wallet: string },
): Promise<void> {
  const api = await startApi({ databaseUrl, port: 0, log: SILENT, foldedSwapsMax: 3 })
  t.teardown(() => api.stop())
  const wanted = { tier: 'enterprise', environment: 'test', account: 'refused' } as const
  const { key } = await createKey(db, { ...wanted, by: 'test' })
  const get = async (path: string) => {
    const response = await fetch(`${api.url}${path}`, { headers: { 'X-API-Key': key } })
    return { status: response.status, error: ((await response.json()) as { error: object }).error }
  }
  const stats = `/wallets/${wallet}/stats?window=all&as_of_slot=${slot}`
  const unchanged = await get(`/wallets/${wallet}/stats?window=30d&as_of_slot=${slot}`)
  t.is(unchanged.status, 200, 'no swap is folded where none is later')
  const costly = await get(`${stats}&dex=1`)
  t.is(costly.status, 422)
  t.like(costly.error, { code: 'AS_OF_TOO_COSTLY', limit: 3 })
  t.true((costly.error as { rows: number }).rows > 3)
  await db.query(
    `insert into position_refold (wallet_id, token_id, lane, from_slot)
     select wallet_id, token_id, 99, 0 from position where wallet_id = (select id from wallet where address = $1) limit 1`,
    [wallet],
  )
  t.is((await get(stats)).status, 503)
  await db.query('delete from position_refold')
  await db.query(`update checkpoint set sequence = 0, seen_sequence = 0 where actor = 'ledger'`)
  t.is((await get(stats)).status, 503)
}
