// A feed retains nothing that grows with frames, connections or readers, in Node and in a browser.

import { getEventListeners } from 'node:events'
import { join } from 'node:path'
import test from 'ava'
import { build } from 'esbuild'
import { createClient, SwaptideError } from '../../../clients/typescript/client.ts'
import { openPage, WHY_SKIPPED } from '../../api/openapi/browser.ts'
import { frameServer, oneSwap } from '../../support/feed/frame-server.ts'
import { heldBytes } from '../../support/memory.ts'
import { ROOT } from '../../support/sources.ts'
import { CHROMIUM } from '../../support/web/chromium.ts'
import { until } from '../../support/workers/pipeline.ts'

const KEY = 'key'
/** Frames before the first measurement, and to the second. */
const [WARM, FRAMES] = [20_000, 200_000]
/** A listener for each frame would be 90 MB. */
const GROWTH_BYTES_MAX = 4_000_000

test.serial('heap and listeners are constant over frames and connections', async (t) => {
  const { url, count } = await frameServer(t, 50_000)
  const added = { abort: 0 }
  const { addEventListener } = EventTarget.prototype
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...given) {
    if (given[0] === 'abort') added.abort++
    Reflect.apply(addEventListener, this, given)
  }
  t.teardown(() => {
    EventTarget.prototype.addEventListener = addEventListener
  })
  const { signal } = new AbortController()
  const feed = createClient({ url, key: KEY }).feed({ channel: 'swaps', signal })
  let [frames, before] = [0, 0]
  for await (const { slot, sol_amount } of feed) {
    if (slot !== BigInt(frames) || sol_amount !== 9_007_199_254_740_993n) t.fail(`frame ${frames}`)
    if (++frames === WARM) before = heldBytes()
    if (frames === FRAMES) break
  }
  const grown = heldBytes() - before
  t.true(grown < GROWTH_BYTES_MAX, `${grown} bytes`)
  t.is(count().subscribed, 4)
  // One for each connection and each back-off between them, and the one on the signal of the caller.
  t.true(added.abort <= 12, `${added.abort} listeners`)
  t.is(getEventListeners(signal, 'abort').length, 0)
  await until('the connection is closed', 60_000, () => count().open === 0)
})

test.serial(
  'a signal has one listener while the feed runs, and the feed ends at once with it',
  async (t) => {
    const { url, count } = await frameServer(t, 100_000)
    const ended = new AbortController()
    const feed = createClient({ url, key: KEY }).feed({ channel: 'swaps', signal: ended.signal })
    for (let n = 0; n < 1_000; n++) await feed.next()
    t.is(getEventListeners(ended.signal, 'abort').length, 1)
    ended.abort()
    t.true((await feed.next()).done)
    t.is(getEventListeners(ended.signal, 'abort').length, 0)
    await until('the connection is closed', 60_000, () => count().open === 0)
  },
)

test.serial('a feed ends while its reader lags', async (t) => {
  const { url, count } = await frameServer(t, 1_000_000, (n, total) =>
    n === 0 ? oneSwap(n, total) : many(n, total),
  )
  const feed = createClient({ url, key: KEY }).feed({ channel: 'swaps' })
  await feed.next()
  // Beyond the bound of its buffer the client closes the connection, and waits for the reader.
  await until('the client closes the connection', 60_000, () => count().open === 0)
  t.true((await feed.return?.())?.done)
  t.true((await feed.next()).done)
  // A loop of promises alone would starve everything else.
  await new Promise(setImmediate)
})

/** Swaps in each further frame: the second one exceeds the bound of the buffer. */
const MANY = 30_000

function many(n: number, total: number): string {
  const from = 1 + (n - 1) * MANY
  const frame = JSON.parse(oneSwap(from, total))
  return JSON.stringify({ ...frame, data: Array.from({ length: MANY }, () => frame.data[0]) })
}

for (const [what, frame, message] of [
  ['is no JSON', () => '<html>', /a frame is not one of the feed/],
  ['is no frame', () => '[]', /a frame is not one of the feed/],
  ['lacks an integer', () => oneSwap(0, 0).replace('"slot":"0"', '"slot":"x"'), /a frame is not/],
] as const) {
  test.serial(`the feed throws a typed error where a frame ${what}`, async (t) => {
    const { url } = await frameServer(t, 10, frame)
    const feed = createClient({ url, key: KEY }).feed({ channel: 'swaps' })
    const error = (await t.throwsAsync(feed.next())) as SwaptideError
    t.true(error instanceof SwaptideError)
    t.is(error.code, 'INVALID_ANSWER')
    t.regex(error.message, message)
  })
}

test.serial('an error of onGap ends the feed with it', async (t) => {
  const gap = '{"type":"gap","sub":"client","slots":[1,2],"filled":false}'
  const { url } = await frameServer(t, 10, () => gap)
  const onGap = () => {
    throw new Error('a gap')
  }
  const feed = createClient({ url, key: KEY }).feed({ channel: 'swaps', onGap })
  await t.throwsAsync(feed.next(), { message: 'a gap' })
})

const inBrowser = CHROMIUM === undefined ? test.serial.skip : test.serial

inBrowser(`heap and listeners are constant in a browser${WHY_SKIPPED}`, async (t) => {
  // The reader has read what was sent when the heap is measured: else its buffer is measured with it.
  const latch = Promise.withResolvers<void>()
  const { url, count } = await frameServer(t, FRAMES / 4, (n, total) =>
    total === WARM ? latch.promise.then(() => oneSwap(n, total)) : oneSwap(n, total),
  )
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'clients/typescript/client.ts')],
    ...{ bundle: true, format: 'iife', globalName: 'swaptide', write: false },
  })
  const { page } = await openPage(t, url)
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
  await page.evaluate(`(() => {
    window.added = 0
    const { addEventListener } = EventTarget.prototype
    EventTarget.prototype.addEventListener = function (...given) {
      if (given[0] === 'abort') added++
      return addEventListener.apply(this, given)
    }
    window.frames_read = 0
    const read = async () => {
      for await (const { slot } of swaptide.createClient({ url: '${url}', key: '${KEY}' }).feed({ channel: 'swaps' })) {
        if (slot !== BigInt(frames_read)) throw new Error('frame ' + frames_read)
        frames_read++
        if (frames_read === ${FRAMES / 2}) break
      }
    }
    read().catch((error) => { window.frames_read = String(error) })
  })()`)
  const session = await page.context().newCDPSession(page)
  const heapAt = async (frames: number) => {
    await until(`frame ${frames}`, 120_000, async () => {
      const read = await page.evaluate('frames_read')
      if (typeof read === 'string') throw new Error(read)
      return read === frames
    })
    await session.send('HeapProfiler.collectGarbage')
    return (await session.send('Runtime.getHeapUsage')).usedSize
  }
  const before = await heapAt(WARM)
  latch.resolve()
  const grown = (await heapAt(FRAMES / 2)) - before
  t.true(grown < GROWTH_BYTES_MAX, `${grown} bytes`)
  t.is(count().subscribed, 2)
  const added = (await page.evaluate('added')) as number
  t.true(added <= 12, `${added} listeners`)
})
