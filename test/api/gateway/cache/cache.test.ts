// The shared cache over a real Redis: two caches are two processes to it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type Cache, type CacheOptions, openCache } from '../../../../api/gateway/cache/cache.ts'
import { openSharedStore } from '../../../../api/gateway/cache/cache-store.ts'
import type { Fresh } from '../../../../api/routing/route.ts'
import { holdsWithin } from '../../../../deploy/local/waiting.ts'
import { SILENT } from '../../../support/api/api-under-test.ts'
import { type TestRedis, testRedis } from '../../../support/servers/redis.ts'
import { ownStack } from '../../../support/servers/servers.ts'

let own: TestRedis
test.before(async () => {
  own = await testRedis()
})
test.after.always(() => own.drop())

const BOUND_MS = 60_000
const patient = (): AbortSignal => AbortSignal.timeout(BOUND_MS)

/** With time for a machine that has much else to do. */
const PATIENT = { redisAnswerMs: BOUND_MS, leaseMs: BOUND_MS }
/** Longer than any of these tests: nothing expires in those that do not test it. */
const LIFE_SECONDS = 3_600
/** Longer than a loaded machine delays a renewal. */
const LEASE_MS = 12_000

async function twoCaches(
  t: ExecutionContext,
  options: Partial<CacheOptions> = { redisUrl: own.redisUrl, ...PATIENT },
): Promise<[Cache, Cache]> {
  const caches = [
    await openCache({ log: SILENT, ...options }),
    await openCache({ log: SILENT, ...options }),
  ] as [Cache, Cache]
  t.teardown(() => {
    for (const cache of caches) cache.end()
  })
  return caches
}

/** A read that waits for its end, and counts. */
function heldRead(fresh: Fresh) {
  const held = Promise.withResolvers<Fresh>()
  let reads = 0
  return {
    reads: () => reads,
    land: () => held.resolve(fresh),
    read: () => {
      reads += 1
      return held.promise
    },
  }
}

/** A read that is done at once, and counts. */
function quickRead(body = '{}', seconds = LIFE_SECONDS) {
  let reads = 0
  const read = async (): Promise<Fresh> => {
    reads += 1
    return { body: `${body}`, seconds }
  }
  return { read, reads: () => reads }
}

test.serial(
  'fifty concurrent requests in two processes cost one read, and all get its body',
  async (t) => {
    const [one, other] = await twoCaches(t)
    const { read, reads, land } = heldRead({ body: '{"n":1}', seconds: LIFE_SECONDS })
    const requested = Array.from({ length: 50 }, (_, index) =>
      (index % 2 === 0 ? one : other).through(t.title, patient(), read),
    )
    t.true(await holdsWithin(BOUND_MS, async () => reads() === 1))
    land()
    const answers = await Promise.all(requested)
    t.is(reads(), 1)
    t.deepEqual([...new Set(answers.map(({ cached }) => cached.body))], ['{"n":1}'])
    t.true(answers.every(({ isHit }) => !isHit))
    t.true((await one.through(t.title, patient(), read)).isHit)
    t.true((await other.through(t.title, patient(), read)).isHit)
    t.is(reads(), 1)
  },
)

test.serial(
  'shares a cached body between processes digit for digit, and its tag with it',
  async (t) => {
    const [one, other] = await twoCaches(t)
    const body =
      '{"a":9223372036854775807,"b":0.1,"c":1e-9,"d":"naïve ☃ 𝄞 \\u0000 \\ud800","e":null}'
    const first = await one.through(t.title, patient(), async () => ({
      body,
      seconds: LIFE_SECONDS,
    }))
    const second = await other.through(t.title, patient(), () => Promise.reject(new Error('read')))
    t.is(second.cached.body, body)
    t.true(second.isHit)
    t.is(second.cached.etag, first.cached.etag)
    const changed = await one.through('other', patient(), async () => ({
      body: `${body} `,
      seconds: 1,
    }))
    t.not(changed.cached.etag, first.cached.etag)
  },
)

test.serial(
  'the age counts from before the read, in the process that read and in others',
  async (t) => {
    const [one, other] = await twoCaches(t)
    let beganAt = 0
    const slow = async (): Promise<Fresh> => {
      beganAt = performance.now()
      await holdsWithin(BOUND_MS, async () => performance.now() - beganAt > 1_100)
      return { body: '1', seconds: 12 }
    }
    const first = await one.through(t.title, patient(), slow)
    t.true(first.secondsLeft <= 10)
    const second = await other.through(t.title, patient(), slow)
    t.true(second.isHit)
    t.true(second.secondsLeft <= 10)
    const next = quickRead('2')
    for (const cache of [other, one]) {
      let lastHitAt = beganAt
      const isOver = async (): Promise<boolean> => {
        const requestedAt = performance.now()
        const { cached } = await cache.through(t.title, patient(), next.read)
        if (cached.body === '1') lastHitAt = requestedAt
        return cached.body === '2'
      }
      t.true(await holdsWithin(BOUND_MS, isOver))
      t.true(lastHitAt - beganAt <= 12_005, `a hit after ${lastHitAt - beganAt} ms`)
    }
    t.is(next.reads(), 1)
  },
)

test.serial('returns a body of zero lifetime without caching it', async (t) => {
  const [one, other] = await twoCaches(t)
  const { read, reads } = quickRead('1', 0)
  t.is((await one.through(t.title, patient(), read)).secondsLeft, 0)
  await one.through(t.title, patient(), read)
  await other.through(t.title, patient(), read)
  t.is(reads(), 3)
})

test.serial('passes an error to all waiters, and does not cache it', async (t) => {
  const [one, other] = await twoCaches(t)
  let reads = 0
  const held = Promise.withResolvers<Fresh>()
  const read = (): Promise<Fresh> => {
    reads += 1
    return held.promise
  }
  const requested = [one, one].map((cache) => cache.through(t.title, patient(), read))
  t.true(await holdsWithin(BOUND_MS, async () => reads === 1))
  const next = quickRead('good')
  const waiting = other.through(t.title, patient(), next.read)
  held.reject(new Error('no such table'))
  for (const each of await Promise.allSettled(requested)) {
    t.is(each.status === 'rejected' ? (each.reason as Error).message : '', 'no such table')
  }
  t.is((await waiting).cached.body, 'good')
  t.is((await one.through(t.title, patient(), read)).cached.body, 'good')
  t.is(reads, 1)
})

test.serial('ends each waiter at its own deadline while the others wait on', async (t) => {
  const [one, other] = await twoCaches(t)
  const { read, reads, land } = heldRead({ body: '1', seconds: LIFE_SECONDS })
  const stays = one.through(t.title, patient(), read)
  t.true(await holdsWithin(BOUND_MS, async () => reads() === 1))
  for (const cache of [one, other]) {
    const hurried = AbortSignal.timeout(50)
    await t.throwsAsync(cache.through(t.title, hurried, read), { name: 'TimeoutError' })
  }
  land()
  t.is((await stays).cached.body, '1')
  t.is(reads(), 1)
})

test.serial('aborts the read with its last waiter, and the next request reads again', async (t) => {
  const [one, other] = await twoCaches(t)
  const gone = new AbortController()
  let given: AbortSignal | undefined
  const endless = (signal: AbortSignal): Promise<Fresh> => {
    given = signal
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const requested = one.through(t.title, gone.signal, endless)
  t.true(await holdsWithin(BOUND_MS, async () => given !== undefined))
  gone.abort(new Error('the client went away'))
  await t.throwsAsync(requested, { message: 'the client went away' })
  t.true(given?.aborted)
  t.is((await one.through(t.title, patient(), quickRead('next').read)).cached.body, 'next')
  t.is((await other.through(t.title, patient(), quickRead('other').read)).cached.body, 'next')
})

test.serial('a waiting process takes over from a killed reader within its lease', async (t) => {
  const options = { redisUrl: own.redisUrl, ...PATIENT, leaseMs: LEASE_MS }
  const [one] = await twoCaches(t, options)
  const program = join(import.meta.dirname, 'cache-holder.ts')
  const holder = spawn(process.execPath, [program, JSON.stringify(options), t.title])
  t.teardown(() => holder.kill('SIGKILL'))
  const [said] = await once(holder.stdout, 'data')
  t.is(String(said), 'reading\n')
  const { read, reads } = quickRead('mine')
  const waiting = one.through(t.title, patient(), read)
  // Held longer than a lease: it is renewed.
  const hurried = AbortSignal.timeout(1.3 * LEASE_MS)
  await Promise.race([waiting, once(hurried, 'abort')])
  t.is(reads(), 0)
  holder.kill('SIGKILL')
  const killedAt = performance.now()
  t.is((await waiting).cached.body, 'mine')
  t.true(performance.now() - killedAt < BOUND_MS)
})

test.serial('rejects a body from a process whose lease has expired', async (t) => {
  const options = { redisUrl: own.redisUrl, prefix: 'lease:', answerMs: BOUND_MS }
  const stores = [
    await openSharedStore({ ...options, leaseMs: 500 }, SILENT),
    await openSharedStore({ ...options, leaseMs: BOUND_MS }, SILENT),
  ] as const
  t.teardown(() => {
    for (const store of stores) store.end()
  })
  const [frozen, second] = stores
  const claimed = await frozen.claim('name', 'first')
  t.is(claimed?.kind, 'ours')
  const isFree = async (): Promise<boolean> =>
    (await second.claim('name', 'second'))?.kind === 'ours'
  t.true(await holdsWithin(BOUND_MS, isFree))
  const good = { claimedAtMs: Date.now(), lifeMs: 30_000 }
  await frozen.fill('name', 'first', { body: 'old', ...good })
  await frozen.release('name', 'first')
  t.is((await frozen.claim('name', 'third'))?.kind, 'theirs')
  await second.fill('name', 'second', { body: 'new', ...good })
  t.like(await frozen.claim('name', 'third'), { kind: 'body', body: 'new' })
})

test.serial('after a clock was set back no body is served for longer than its life', async (t) => {
  const options = { redisUrl: own.redisUrl, prefix: 'clock:', answerMs: BOUND_MS }
  const store = await openSharedStore({ ...options, leaseMs: BOUND_MS }, SILENT)
  t.teardown(() => store.end())
  const atMs = async (): Promise<number> => {
    const [seconds, micros] = await own.redis.time()
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000)
  }
  const lifeMs = 30_000
  const fill = async (name: string, claimedAtMs: number): Promise<void> => {
    t.is((await store.claim(name, 'token'))?.kind, 'ours')
    await store.fill(name, 'token', { body: name, claimedAtMs, lifeMs })
  }
  // Claimed before the clock was set back an hour.
  await fill('ahead', (await atMs()) + 3_600_000)
  t.is((await store.claim('ahead', 'next'))?.kind, 'ours')
  await fill('now', await atMs())
  const claim = await store.claim('now', 'next')
  t.true(claim?.kind === 'body' && claim.leftMs > 0 && claim.leftMs <= lifeMs)
  // Set back by less than the body's age: its end lies further ahead than it lives.
  await fill('old', await atMs())
  await own.redis.pexpire('clock:{old}', 3_600_000)
  t.deepEqual(await store.claim('old', 'next'), { kind: 'body', body: 'old', leftMs: lifeMs })
})

test.serial('treats a Redis that refuses writes or connections as absent', async (t) => {
  const wrongKey = new URL(own.redisUrl)
  wrongKey.password = 'wrong'
  const reader = `reader-${process.pid}`
  await own.redis.call('acl', 'setuser', reader, 'on', '>reader', '~*', '+@read', '+@connection')
  t.teardown(() => own.redis.call('acl', 'deluser', reader))
  const readOnly = new URL(own.redisUrl)
  readOnly.username = reader
  readOnly.password = 'reader'
  for (const { href: redisUrl } of [wrongKey, readOnly]) {
    const [one, other] = await twoCaches(t, { redisUrl })
    const { read, reads } = quickRead()
    for (const cache of [one, one, other]) await cache.through(redisUrl, patient(), read)
    t.is(reads(), 2)
  }
})

test.serial(
  'memory is bounded: evicts the oldest of very many answers, and does not cache a huge one',
  async (t) => {
    const alone = await openCache({ log: SILENT })
    const { read, reads } = quickRead()
    for (let index = 0; index < 10_001; index++) await alone.through(`${index}`, patient(), read)
    t.true((await alone.through('10000', patient(), read)).isHit)
    t.false((await alone.through('0', patient(), read)).isHit)
    t.is(reads(), 10_002)
    const huge = quickRead('x'.repeat(9 * 1024 * 1024))
    const [one, other] = await twoCaches(t)
    for (const cache of [one, one, other]) {
      t.is((await cache.through(t.title, patient(), huge.read)).cached.body.length, 9 * 1024 * 1024)
    }
    t.is(huge.reads(), 3)
  },
)

test.serial(
  'Redis stopped, frozen and back: no request fails or waits, and each process reads once',
  async (t) => {
    const { redisUrl, servers } = await ownStack(t)
    const [one, other] = await twoCaches(t, { redisUrl })
    const before = quickRead('before')
    await one.through('kept', patient(), before.read)
    await servers.redis.stop()
    t.true((await one.through('kept', patient(), before.read)).isHit)
    t.false((await other.through('kept', patient(), before.read)).isHit)
    t.is(before.reads(), 2)
    const away = heldRead({ body: 'away', seconds: LIFE_SECONDS })
    const requested = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? one : other).through('away', patient(), away.read),
    )
    t.true(await holdsWithin(BOUND_MS, async () => away.reads() === 2))
    away.land()
    t.true((await Promise.all(requested)).every(({ cached }) => cached.body === 'away'))
    t.true((await one.through('away', patient(), away.read)).isHit)
    t.is(away.reads(), 2)

    await servers.redis.start()
    const isShared = async (): Promise<boolean> => {
      const name = `back ${performance.now()}`
      await one.through(name, patient(), quickRead().read)
      return (await other.through(name, patient(), quickRead().read)).isHit
    }
    t.true(await holdsWithin(60_000, isShared))

    servers.redis.kill('SIGSTOP')
    try {
      const slowest: number[] = []
      for (let index = 0; index < 40; index++) {
        const requestedAt = performance.now()
        await one.through(`frozen ${index}`, patient(), quickRead().read)
        slowest.push(performance.now() - requestedAt)
      }
      // A frozen Redis would never answer: no request waits for it.
      t.true(Math.max(...slowest) < BOUND_MS, `${Math.max(...slowest)} ms`)
    } finally {
      servers.redis.kill('SIGCONT')
    }
    t.true(await holdsWithin(60_000, isShared))
  },
)
