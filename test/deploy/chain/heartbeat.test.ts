/** The heartbeat of a source of chain data: what it reports, and which rows it replaces. */
import test, { type ExecutionContext } from 'ava'
import type { ChainCounts } from '../../../chain/sources/batch.ts'
import { noChainCounts } from '../../../chain/sources/batch.ts'
import type { ChainSource } from '../../../chain/sources/reader.ts'
import { Heartbeat, type HeartbeatOptions, withHeartbeat } from '../../../deploy/chain/heartbeat.ts'
import { beatSource, listSources } from '../../../sql/chain/sources.ts'
import type { Db } from '../../../sql/db.ts'
import { sourceBeat } from '../../support/chain/source-beat.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { testServers } from '../../support/servers/servers.ts'

const KEY = { venues: 2, decoderVersion: 1, source: 'rpc', commitment: 'confirmed' }
const OPTIONS: HeartbeatOptions = { key: KEY, endpoint: 'node.example:8899' }
const { log } = recordingLog()
const { signal } = new AbortController()

async function openDatabase(t: ExecutionContext): Promise<Db> {
  const database = await testDatabase(testServers().databaseUrl)
  t.teardown(() => database.drop())
  return database.db
}

function sourceOf(newestSlot: number, counts: Partial<ChainCounts>): ChainSource {
  return {
    isLive: true,
    newestSlot,
    counts: { ...noChainCounts(), ...counts },
    async *open() {},
  }
}

const SILENCE = `update chain_source set seen_at = seen_at - interval '16 seconds'`

test('reports counts, cursor and lag while a source runs, and nothing after its end', async (t) => {
  const db = await openDatabase(t)
  const heartbeat = new Heartbeat(db, log, OPTIONS)
  await withHeartbeat(heartbeat, signal, async () => {
    const [begun] = await listSources(db)
    t.like(begun, { state: 'running', cursor_slot: null, lag_slots: null, lag_ms: null, slots: 0 })
    const rejects = new Map([['no_event', 2]]) as ChainCounts['rejects']
    heartbeat.follow(sourceOf(500, { slots: 7, swaps: 40, rejects }))
    heartbeat.noteNewest({ slot: 490, timestampMs: Date.now() - 3_000 })
    heartbeat.acknowledge('489')
    heartbeat.noteRetry('no answer in time')
    const state = heartbeat.state()
    t.like(state, { ...{ slots: 7, swaps: 40, retries: 1 }, last_error: 'no answer in time' })
    t.like(state, { cursor_slot: 489, newest_slot: 500, lag_slots: 11, rejects: { no_event: 2 } })
    t.true((state.lag_ms ?? 0) >= 3_000)
    // Inside a slot the slot before it is the last whole one.
    heartbeat.acknowledge('490:2000')
    t.is(heartbeat.state().cursor_slot, 489)
    heartbeat.follow(sourceOf(501, { slots: 1, swaps: 2 }))
    t.like(heartbeat.state(), { slots: 8, swaps: 42, newest_slot: 501 })
  })
  t.deepEqual(await listSources(db), [])
})

test('a source that fails leaves its error, until another takes its place', async (t) => {
  const db = await openDatabase(t)
  const failing = withHeartbeat(new Heartbeat(db, log, OPTIONS), signal, async () => {
    throw new Error('HTTP status 401')
  })
  await t.throwsAsync(failing, { message: 'HTTP status 401' })
  const [failed] = await listSources(db)
  t.like(failed, { state: 'failed', last_error: 'HTTP status 401' })
  await db.query(`update chain_source set moved_at = moved_at - interval '5 minutes'`)
  const heartbeat = new Heartbeat(db, log, OPTIONS)
  await withHeartbeat(heartbeat, signal, async () => {
    const [next, ...rest] = await listSources(db)
    t.deepEqual(rest, [])
    t.like(next, { state: 'running', last_error: null })
    t.true((next?.moved_age_ms ?? 0) > 299_000, 'no progress since before the failure')
  })
})

test('a source that was killed is silent after 15 s, and only its own successor replaces it', async (t) => {
  const db = await openDatabase(t)
  const backfill = { kind: 'backfill', from_slot: 1, to_slot: 9 }
  const killed = [sourceBeat(), sourceBeat(backfill), sourceBeat({ venues: 2 })]
  for (const each of killed) await beatSource(db, each)
  await db.query(SILENCE)
  t.true((await listSources(db)).every(({ state }) => state === 'silent'))
  const next = sourceBeat()
  await beatSource(db, next)
  const ids = (await listSources(db)).map(({ id }) => id)
  t.deepEqual(ids.toSorted(), [next.id, killed[1]?.id, killed[2]?.id].toSorted())
  await db.query(`update chain_source set seen_at = seen_at - interval '1 hour' where venues = 2`)
  await beatSource(db, next)
  t.is((await listSources(db)).length, 2)
  t.like((await listSources(db))[0], { kind: 'backfill', lag_slots: null, lag_ms: null })
})

test('the cursor is moved by progress only', async (t) => {
  const db = await openDatabase(t)
  const beat = sourceBeat()
  await beatSource(db, beat)
  await db.query(`update chain_source set moved_at = moved_at - interval '1 hour'`)
  await beatSource(db, beat)
  t.true(((await listSources(db))[0]?.moved_age_ms ?? 0) > 3_500_000)
  await beatSource(db, { ...beat, cursor_slot: 398 })
  t.true(((await listSources(db))[0]?.moved_age_ms ?? 0) < 3_500_000)
})
