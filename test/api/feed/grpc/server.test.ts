/**
 * SwapStream by real clients: the contents, shape and order of answers, their start, and the end of a call.
 */
import { Metadata, status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { revokeKey } from '../../../../api/gateway/keys/keys.ts'
import { trimStream } from '../../../../streams/nats/topology.ts'
import { poolOf, SWAP } from '../../../support/events/sample-event.ts'
import {
  feedSwaps,
  streamUnderTest,
  subscribe,
  withKey,
} from '../../../support/programs/swap-stream.ts'
import { until } from '../../../support/workers/pipeline.ts'

/** Numbered by their slot, spread over pools, wallets, venues and kinds. */
function swapsFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const slot = first + index
    return {
      ...SWAP,
      slot,
      isBuy: slot % 2 === 0,
      dex: ((slot % 3) + 1) as 1 | 2 | 3,
      pairAddress: poolOf(slot % 7),
      user: poolOf(100 + (slot % 11)),
      solAmount: slot * 1_000_000,
    }
  })
}

/** Lists of one to five, of one venue each. */
function inMessages(swaps: ReturnType<typeof swapsFrom>) {
  return [1, 2, 3].flatMap((dex) => {
    const own = swaps.filter((swap) => swap.dex === dex)
    const lists: (typeof own)[] = []
    for (let at = 0; at < own.length; at += 5) lists.push(own.slice(at, at + 5))
    return lists
  })
}

const slotsOf = (swaps: readonly { slot?: unknown }[]) => swaps.map(({ slot }) => Number(slot))

test('a subscriber gets exactly the swaps committed from now on, and its tier in the metadata', async (t) => {
  const { pipeline, client, key, server } = await streamUnderTest(t)
  const before = await feedSwaps(pipeline, [swapsFrom(1, 1)])
  await until('the hub has it', 60_000, () => server.hub.head() === before)
  const subscribed = subscribe(client(), (await key('developer')).key)
  const metadata = await subscribed.metadata
  t.deepEqual(metadata.get('x-swaptide-tier'), ['developer'])
  t.deepEqual(metadata.get('x-swaptide-stream-epoch'), [pipeline.topology.feed.epoch])
  t.deepEqual(metadata.get('x-swaptide-tier-locked-filter'), [])
  await until('the first answer', 60_000, () => subscribed.answers.length > 0)
  t.like(subscribed.answers[0], {
    event: 'subscribed',
    subscribed: { replay: false, tier_locked_filters: [] },
  })
  const exact = { ...SWAP, slot: 2, solAmount: 2n ** 63n - 1n, tokenAmount: 2n ** 53n + 1n }
  await feedSwaps(pipeline, [[exact]])
  await until('the swap', 60_000, () => subscribed.swaps.length === 1)
  t.like(subscribed.swaps[0], {
    slot: '2',
    signature: SWAP.signature,
    swap_type: 'buy',
    dex: 'venue_1',
    sol_amount: '9223372036854775807',
    token_amount: '9007199254740993',
    base_decimals: 9,
  })
  t.false('price_impact_bps' in (subscribed.swaps[0] ?? {}))
  subscribed.call.cancel()
  t.is((await subscribed.ended).code, status.CANCELLED)
})

test('cut anywhere and resumed by its cursor, a subscription is the filtered log', async (t) => {
  const { pipeline, client, key } = await streamUnderTest(t)
  const { key: text } = await key('pro')
  const live = client()
  const whole = subscribe(live, text, { filter: { swap_type: 'buy', min_sol: 0.01 } })
  await until('it is subscribed', 60_000, () => whole.answers.length > 0)
  let cursor = whole.cursor()
  const cut: Record<string, string | number>[] = []
  let published = 0
  for (let round = 0; round < 40; round++) {
    await feedSwaps(pipeline, inMessages(swapsFrom(published + 1, 30)))
    published += 30
    const part = subscribe(client(), text, {
      filter: { swap_type: 'buy', min_sol: 0.01 },
      cursor,
      max_batch: 1 + (round % 4),
    })
    // Cut after a few answers, wherever that is.
    const bound = 1 + ((round * 7) % 5)
    await new Promise<void>((resolve) => {
      let count = 0
      part.call.on('data', (answer) => {
        if (count === bound) return
        count++
        cursor = answer.cursor
        cut.push(...(answer.swaps?.swaps ?? []))
        if (count === bound) resolve()
      })
    })
    part.call.cancel()
  }
  const rest = subscribe(client(), text, { filter: { swap_type: 'buy', min_sol: 0.01 }, cursor })
  const expected = swapsFrom(1, published).filter(({ slot }) => slot % 2 === 0 && slot >= 10).length
  await until('the whole of it', 60_000, () => whole.swaps.length >= expected)
  await until('the rest', 60_000, () => cut.length + rest.swaps.length >= expected)
  t.is(whole.swaps.length, expected)
  t.deepEqual(slotsOf([...cut, ...rest.swaps]), slotsOf(whole.swaps))
  t.is(new Set(slotsOf(whole.swaps)).size, expected)
  let count = 0
  for (const { swaps } of whole.answers) {
    if (swaps === undefined) continue
    t.is(swaps.n, `${count}`)
    count += swaps.swaps.length
  }
})

test('a cursor that cannot be resumed is OUT_OF_RANGE, with the available range', async (t) => {
  const { pipeline, client, key, server } = await streamUnderTest(t, {
    watchEveryMs: 50,
    ringBytesMax: 1,
  })
  const { epoch, stream } = pipeline.topology.feed
  const head = await feedSwaps(
    pipeline,
    swapsFrom(1, 20).map((swap) => [swap]),
  )
  await trimStream(pipeline.jetStream, stream, 11)
  await until('the hub knows', 60_000, () => {
    return server.hub.first() === 11 && server.hub.head() === head
  })
  const { key: text } = await key('enterprise')
  for (const cursor of [`another-${head}`, `${epoch}-9`, `${epoch}-${head + 1}`]) {
    const refused = await subscribe(client(), text, { cursor }).ended
    t.is(refused.code, status.OUT_OF_RANGE, cursor)
    t.deepEqual(refused.metadata.get('x-swaptide-first'), [`${epoch}-10`])
    t.deepEqual(refused.metadata.get('x-swaptide-head'), [`${epoch}-${head}`])
  }
  const first = subscribe(client(), text, { cursor: `${epoch}-10` })
  await until('what is left', 60_000, () => first.swaps.length === 10)
})

test('a stream that is recreated ends its readers: never silence', async (t) => {
  const { pipeline, client, key } = await streamUnderTest(t, { watchEveryMs: 50 })
  const { stream } = pipeline.topology.feed
  const running = subscribe(client(), (await key()).key)
  await running.metadata
  const { config } = await pipeline.jetStream.manager.streams.info(stream)
  await pipeline.jetStream.manager.streams.delete(stream)
  const metadata = { ...config.metadata, swaptide_epoch: 'recreated' }
  await pipeline.jetStream.manager.streams.add({ ...config, metadata })
  const { code, metadata: trailers } = await running.ended
  t.is(code, status.OUT_OF_RANGE)
  t.deepEqual(trailers.get('x-swaptide-head'), ['recreated-0'])
})

test('refuses invalid requests with the expected values', async (t) => {
  const { client, key } = await streamUnderTest(t)
  const { key: text } = await key('pro')
  const cases: [object, RegExp][] = [
    [{ cursor: 'yesterday' }, /^cursor "yesterday": expected <epoch>-<sequence>/],
    [{ slot: -1 }, /^slot "-1": expected an integer/],
    [{ max_batch: 251 }, /^max_batch "251": expected 1 to 250/],
    [{ heartbeat_seconds: 61 }, /^heartbeat_seconds "61"/],
    [{ filter: { tokens: ['abc'] } }, /^filter: tokens "abc": expected a base58 address/],
    [{ filter: { min_sol: Number.NaN } }, /^filter: min_sol/],
    // Cut after 100 and 64 units, here within a character.
    [{ filter: { venues: [`${'v'.repeat(99)}\u{1f600}`] } }, /^filter: venues "v{99}/],
    [{ cursor: `${'c'.repeat(63)}\u{1f600}` }, /^cursor "c{63}/],
    // 230 KB: refused for its contents, not for its length.
    [{ filter: { wallets: Array(5_000).fill(poolOf(1)) } }, /^filter: wallets: at most 1000/],
  ]
  for (const [request, details] of cases) {
    const refused = await subscribe(client(), text, request).ended
    t.is(refused.code, status.INVALID_ARGUMENT)
    t.regex(decodeURI(refused.details), details)
  }
})

test('a call without a valid key is UNAUTHENTICATED, and so ends one whose key is revoked', async (t) => {
  const { pipeline, client, key } = await streamUnderTest(t)
  const { id, key: text } = await key()
  const bad = `${text.slice(0, -1)}${text.endsWith('a') ? 'b' : 'a'}`
  for (const metadata of [new Metadata(), withKey(bad), withKey('')]) {
    const call = client().Subscribe({}, metadata)
    call.on('error', () => {})
    call.resume()
    const ended = await new Promise<{ code: number }>((resolve) => call.once('status', resolve))
    t.is(ended.code, status.UNAUTHENTICATED)
  }
  const bearer = new Metadata()
  bearer.set('authorization', `Bearer ${text}`)
  const described = await requestAbout(client(), bearer)
  t.is(described.answer?.head, '0')
  t.is((await requestAbout(client(), new Metadata())).code, status.UNAUTHENTICATED)
  const running = subscribe(client(), text)
  await running.metadata
  await revokeKey(pipeline.db, id, 'test')
  const ended = await running.ended
  t.is(ended.code, status.UNAUTHENTICATED)
  t.deepEqual(ended.metadata.get('x-swaptide-cursor'), [running.cursor() ?? ''])
})

type Described = { code?: number; answer?: Record<string, string> }

function requestAbout(
  client: ReturnType<Awaited<ReturnType<typeof streamUnderTest>>['client']>,
  metadata: Metadata,
) {
  return new Promise<Described>((resolve) => {
    client.GetStreamInfo({}, metadata, (error, answer) =>
      resolve(error === null ? { answer } : { code: error.code }),
    )
  })
}

test('GetStreamInfo names epoch, ends and the newest slot', async (t) => {
  const { pipeline, client, key, server } = await streamUnderTest(t)
  const head = await feedSwaps(pipeline, [swapsFrom(7, 1), swapsFrom(9, 1)])
  await until('the hub has it', 60_000, () => server.hub.head() === head)
  const { epoch } = pipeline.topology.feed
  const { answer } = await requestAbout(client(), withKey((await key()).key))
  t.like(answer, { epoch, first: '1', head: `${head}`, cursor: `${epoch}-${head}` })
  t.true(['7', '9'].includes(answer?.head_slot ?? ''))
})

test('tags of wallets are a filter of Pro: below, they are dropped and the metadata reports it', async (t) => {
  const { client, key } = await streamUnderTest(t)
  const requested = { filter: { wallet_tags: ['whale'], swap_type: 'sell' } }
  for (const tier of ['free', 'developer'] as const) {
    const subscribed = subscribe(client(), (await key(tier)).key, requested)
    const metadata = await subscribed.metadata
    t.deepEqual(metadata.get('x-swaptide-tier-locked-filter'), ['wallet_tags'])
    await until('the first answer', 60_000, () => subscribed.answers.length > 0)
    const { filter, tier_locked_filters } = subscribed.answers[0]?.subscribed ?? {}
    t.deepEqual(tier_locked_filters, ['wallet_tags'])
    t.deepEqual([filter?.wallet_tags, filter?.swap_type], [[], 'sell'])
  }
  const subscribed = subscribe(client(), (await key('pro')).key, requested)
  const metadata = await subscribed.metadata
  t.deepEqual(metadata.get('x-swaptide-tier-locked-filter'), [])
  await until('the first answer', 60_000, () => subscribed.answers.length > 0)
  t.deepEqual(subscribed.answers[0]?.subscribed?.filter.wallet_tags, ['whale'])
})

test('filters by the tags that a wallet had when its swap was published, live and from a cursor', async (t) => {
  const { pipeline, client, key } = await streamUnderTest(t)
  const { key: text } = await key('pro')
  const filter = { wallet_tags: ['whale', 'insider'] }
  const live = subscribe(client(), text, { filter })
  await until('it is subscribed', 60_000, () => live.answers.length > 0)
  // Each wallet with any tags, one of them with none at all.
  const lists = [0, 1, 2, 3, 4, 6, 8, 15].map((walletTags, index) => [
    { ...SWAP, slot: index + 1, walletTags },
    { ...SWAP, slot: index + 101, user: poolOf(1) },
  ])
  for (const list of lists) await feedSwaps(pipeline, [list])
  await until('those of whales and insiders', 60_000, () => live.swaps.length >= 5)
  const { epoch } = pipeline.topology.feed
  const again = subscribe(client(), text, { filter, cursor: `${epoch}-0` })
  await until('all again', 60_000, () => again.answers.some(({ event }) => event === 'notice'))
  for (const { swaps } of [live, again]) t.deepEqual(slotsOf(swaps), [3, 4, 5, 6, 8])
})

test('a heartbeat reports the cursor of an idle stream', async (t) => {
  const { pipeline, client, key } = await streamUnderTest(t)
  const { epoch } = pipeline.topology.feed
  const quiet = subscribe(client(), (await key()).key, {
    heartbeat_seconds: 1,
    filter: { venues: ['venue_9'] },
  })
  await quiet.metadata
  const head = await feedSwaps(pipeline, [swapsFrom(1, 1)])
  await heartbeatAt(t, quiet, `${epoch}-${head}`)
})

async function heartbeatAt(
  t: ExecutionContext,
  { answers }: ReturnType<typeof subscribe>,
  at: string,
) {
  await until('a heartbeat', 60_000, () =>
    answers.some(({ heartbeat, cursor }) => heartbeat?.head === at && cursor === at),
  )
  t.is(answers.filter(({ event }) => event === 'swaps').length, 0)
}
