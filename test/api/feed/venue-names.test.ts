/** Venues in both feeds of an installation that names them by their programs: filters by any name, frames by that one. */
import test from 'ava'
import { VENUES, venueOf } from '../../../domain/venue.ts'
import { SWAP } from '../../support/events/sample-event.ts'
import { feedApi } from '../../support/feed/feed-api.ts'
import { welcomed } from '../../support/feed/feed-client.ts'
import { feedSwaps, openClient, subscribe } from '../../support/programs/swap-stream.ts'
import { testRedis } from '../../support/servers/redis.ts'
import { until } from '../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
/** Named by number, by name and by program. */
const WANTED = [venueOf(2), venueOf(4), venueOf(6)]
const REQUESTED = [String(WANTED[0]?.dex), WANTED[1]?.name, WANTED[2]?.programName]
const PROGRAMS = WANTED.map(({ programName }) => programName)

/** One swap of each venue. */
const SWAPS = VENUES.map(({ dex }, index) => ({ ...SWAP, dex, slot: SWAP.slot + index }))

test('WebSocket and gRPC take a venue by each of its names, and name it by its program', async (t) => {
  const { redisUrl, drop } = await testRedis()
  t.teardown(drop)
  const { api, pipeline, keyFor } = await feedApi(t, {
    api: { redisUrl, venueNames: 'programs' },
    feed: { grpc: { host: '127.0.0.1', port: 0 } },
  })
  const { key, url } = await keyFor('enterprise')
  const socket = await welcomed(t, url)
  socket.send({ op: 'subscribe', sub: 'own', channel: 'swaps', filter: { venues: REQUESTED } })
  socket.send({ op: 'subscribe', sub: 'all', channel: 'swaps' })
  const client = openClient(`127.0.0.1:${api.grpcPort}`)
  t.teardown(() => client.close())
  const own = subscribe(client, key, { filter: { venues: REQUESTED } })
  const all = subscribe(client, key)
  const areSubscribed = () =>
    own.answers.length > 0 && all.answers.length > 0 && socket.of('subscribed').length === 2
  await until('all are subscribed', BOUND_MS, areSubscribed)
  t.like(socket.of('subscribed', 'own')[0], { filter: { venues: PROGRAMS } })
  t.like(own.answers[0]?.subscribed, { filter: { venues: PROGRAMS } })

  await feedSwaps(
    pipeline,
    SWAPS.map((swap) => [swap]),
  )
  await socket.untilEvents('all', SWAPS.length)
  await until('all swaps are streamed', BOUND_MS, () => all.swaps.length === SWAPS.length)
  const names = VENUES.map(({ programName }) => programName)
  t.deepEqual(
    socket.events('all').map(({ dex }) => dex),
    names,
  )
  t.deepEqual(
    all.swaps.map(({ dex }) => dex),
    names,
  )
  await socket.untilEvents('own', WANTED.length)
  await until('the wanted are streamed', BOUND_MS, () => own.swaps.length === WANTED.length)
  t.deepEqual(
    socket.events('own').map(({ dex }) => dex),
    PROGRAMS,
  )
  t.deepEqual(
    own.swaps.map(({ dex }) => dex),
    PROGRAMS,
  )
  t.deepEqual(socket.errors, [])

  socket.send({ op: 'subscribe', sub: 'bad', channel: 'swaps', filter: { venues: ['venue_99'] } })
  const refused = await socket.until('error')
  t.regex(
    String(refused.message),
    /"venue_99": expected 1 to \d+, venue_1 to venue_\d+, or one of pumpfun /,
  )
})
