// The client against a running service: exact integers, lists, errors, retries, and the feed through restarts.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { createClient, SwaptideError } from '../../../clients/typescript/client.ts'
import { apiUnderTest } from '../../support/api/api-under-test.ts'
import { insertLedger } from '../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { eventsOf, feedApi } from '../../support/feed/feed-api.ts'
import { writeFeed } from '../../support/feed/written-feed.ts'
import { mint, sampleSwap, signatureOf } from '../../support/market/sample-swap.ts'
import { ownPort } from '../../support/servers/own-port.ts'
import { until } from '../../support/workers/pipeline.ts'

const INT64_MAX = 9_223_372_036_854_775_807n

test('reads exact integers as bigints, and lists to their end', async (t) => {
  const { api, db, key } = await apiUnderTest(t)
  const swaps = Array.from({ length: 25 }, (_, n) =>
    sampleSwap({
      isBuy: true,
      slot: 1_000 + n,
      signature: signatureOf(n),
      tokenAmount: INT64_MAX - BigInt(n),
    }),
  )
  await insertSwaps(db, swaps)
  await insertLedger(db, [])
  const client = createClient({ url: api.url, key })
  const rows = []
  for await (const row of client.rows('listSwaps', { limit: 10, order: 'asc' })) rows.push(row)
  t.deepEqual(
    rows.map(({ slot, token_amount }) => [slot, token_amount]),
    swaps.map(({ slot, tokenAmount }) => [BigInt(slot), tokenAmount]),
  )
  const pages = []
  for await (const page of client.pages('listSwaps', { limit: 10 })) pages.push(page.data.length)
  t.deepEqual(pages, [10, 10, 5])
  const { positions } = await client.getWalletPositions({ wallet: swaps[0]!.user, status: 'all' })
  const bought = swaps.reduce((sum, { tokenAmount }) => sum + BigInt(tokenAmount), 0n)
  t.is(positions[0]?.balance_atomic, bought)
  t.true(bought > INT64_MAX)
  const pairs = swaps
    .slice(0, 2)
    .map(({ user, tokenAddress }) => ({ wallet: user, mint: tokenAddress }))
  const batch = await client.getPositionsBatch({
    pairs: [...pairs, { wallet: mint(8), mint: mint(9) }],
  })
  t.is(batch.positions.length, 3)
  t.is(batch.positions[0]?.balance_atomic, bought)
  t.is(batch.positions[2], null)
  const { by_mode } = await client.getWalletSummary({ wallet: swaps[0]!.user })
  t.is(typeof by_mode.strict.realized_lamports, 'bigint')
  const { stats } = await client.getTokensStats({ mints: [swaps[0]!.tokenAddress] })
  t.is(typeof stats[swaps[0]!.tokenAddress]?.windows['24h'].trades, 'bigint')
})

test('throws typed errors of every family', async (t) => {
  const { api, key } = await apiUnderTest(t)
  const client = createClient({ url: api.url, key })
  const stranger = createClient({ url: api.url })
  for (const [requested, status, code, message] of [
    [client.listSwaps({ limit: 0 }), 400, 'invalid_parameter', /^limit "0": expected/],
    [client.getTransaction({ signature: signatureOf(1) }), 404, 'not_found', /no indexed swap/],
    [client.getTokenStats({ mint: mint(1) }), 404, 'NOT_FOUND', /no indexed token/],
    [stranger.getCredits(), 401, 'UNAUTHORIZED', /API key is required/],
  ] as const) {
    const error = (await t.throwsAsync(requested)) as SwaptideError
    t.true(error instanceof SwaptideError)
    t.like(error, { status, code })
    t.regex(error.message, message)
    t.regex(error.requestId ?? '', /\w{8}/)
  }
})

test('retries what passes, never before the server allows it, and stops with its signal', async (t) => {
  const { api, key } = await apiUnderTest(t)
  const times: number[] = []
  // In front of the API, as an overloaded proxy is: the third request passes.
  const proxy = createServer(async (request, response) => {
    times.push(performance.now())
    if (times.length < 3) return response.writeHead(503, { 'Retry-After': '1' }).end('busy')
    const answer = await fetch(api.url + request.url, { headers: { 'X-API-Key': key } })
    return response.writeHead(answer.status).end(await answer.text())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => proxy.close())
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  t.is((await createClient({ url, key }).getCredits()).tier, 'free')
  t.is(times.length, 3)
  for (const at of [1, 2]) t.true((times[at] ?? 0) - (times[at - 1] ?? 0) >= 990)
  times.length = 0
  const refused = await t.throwsAsync(createClient({ url, key, retries: 0 }).getCredits())
  t.like(refused, { status: 503, code: 'HTTP_503', retryAfterMs: 1_000 })
  times.length = 0
  const ended = new AbortController()
  const requested = createClient({ url, key }).getCredits({}, { signal: ended.signal })
  await until('the first refusal', 60_000, () => times.length === 1)
  ended.abort(new Error('enough'))
  await t.throwsAsync(requested, { message: 'enough' })
})

/** A connection that loses its second frame of events, once. */
function lossySocket(): typeof WebSocket {
  let seen = 0
  return class extends WebSocket {
    override set onmessage(take: ((event: MessageEvent) => void) | null) {
      super.onmessage =
        take &&
        ((event: MessageEvent) => {
          const isEvents = String(event.data).startsWith('{"type":"data"')
          if (isEvents && ++seen === 2) return
          take(event)
        })
    }
  } as typeof WebSocket
}

for (const [how, Socket] of [
  ['restarts of the API', undefined],
  ['a frame that was lost', lossySocket()],
] as const) {
  test(`the feed brings each event once through ${how}`, async (t) => {
    const port = await ownPort()
    const { pipeline, api: first, another } = await feedApi(t)
    await first.stop()
    let api = await another({ port })
    const wanted = { tier: 'pro', environment: 'test', account: 'test', by: 'test' } as const
    const { key } = await createKey(pipeline.db, wanted)
    const from = { cursor: `${pipeline.topology.feed.epoch}-0` }
    const more = Socket === undefined ? {} : { WebSocket: Socket }
    const client = createClient({ url: `http://127.0.0.1:${port}`, key })
    const feed = client.feed({ channel: 'swaps', from, ...more })
    const seen: [bigint, bigint][] = []
    const reading = (async () => {
      for await (const swap of feed) seen.push([swap.slot, swap.sol_amount])
    })()
    for (let life = 0; life < 3; life++) {
      await writeFeed(pipeline, life * 4_000, 1_000)
      await until('events of this life', 60_000, () => seen.length >= (life + 1) * 3_600)
      if (life === 2 || Socket !== undefined) continue
      await api.stop()
      api = await another({ port })
    }
    const events = await eventsOf(pipeline, ({ kind }) => kind === 'swap')
    t.deepEqual(
      seen,
      events.map((event) => {
        const { slot, solAmount } = (event as { swap: { slot: number; solAmount: bigint } }).swap
        return [BigInt(slot), BigInt(solAmount)]
      }),
    )
    await until('the cursor of all', 60_000, () => feed.cursor !== undefined)
    const { cursor = '' } = feed
    await feed.return?.()
    await reading
    // A later program begins where this one ended.
    const later = client.feed({ channel: 'swaps', from: { cursor } })
    await writeFeed(pipeline, 12_000, 1)
    t.is((await later.next()).value?.slot, 13_000n)
    await later.return?.()
  })
}

test('the feed throws where no later attempt would succeed, and ends with its signal', async (t) => {
  const { api, keyFor } = await feedApi(t)
  const { key } = await keyFor('free')
  const stranger = createClient({
    url: api.url,
    key: key.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
  })
  await t.throwsAsync(stranger.feed({ channel: 'swaps' }).next(), { message: /key/ })
  const client = createClient({ url: api.url, key })
  const filter = { tokens: ['nonsense'] }
  const refused = await t.throwsAsync(client.feed({ channel: 'swaps', filter }).next())
  t.like(refused, { code: 'INVALID_FILTER', status: 0 })
  const ended = new AbortController()
  const next = client.feed({ channel: 'swaps', signal: ended.signal }).next()
  ended.abort()
  t.true((await next).done)
})
