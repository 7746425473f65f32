// The memory of keys on a clock of the test's own: how long it believes, that look-ups are shared, that
// failures and changed keys are forgotten, and how often use is noted.

import test from 'ava'
import { createKeyRing } from '../../../../api/gateway/keys/key-ring.ts'
import { hashOfKey, type StoredKey } from '../../../../api/gateway/keys/keys.ts'

const KEY = 'any text: its form is checked before'
const stored: StoredKey = {
  id: 1,
  key_hash: hashOfKey(KEY),
  tier: 'free',
  account: 'test',
  sql_access: false,
  lineage: '00000000-0000-0000-0000-000000000000',
  grace_until: null,
  revoked_at: null,
}

function ringOn(find: () => Promise<StoredKey | undefined>) {
  const counted = { now: 0, wallClock: 0, lookups: 0, touches: 0 }
  const ring = createKeyRing({
    find: () => {
      counted.lookups += 1
      return find()
    },
    touch: async () => {
      counted.touches += 1
    },
    now: () => counted.wallClock,
    steadyMs: () => counted.now,
  })
  return { ring, counted }
}

test('concurrent requests share one look-up, and every look-up expires within 30 seconds', async (t) => {
  const { ring, counted } = ringOn(async () => stored)
  const found = await Promise.all(Array.from({ length: 50 }, () => ring.find(KEY)))
  t.true(found.every((each) => each === stored))
  t.is(counted.lookups, 1)
  counted.now = 24_999
  await ring.find(KEY)
  t.is(counted.lookups, 1)
  counted.now = 29_000
  await ring.find(KEY)
  t.is(counted.lookups, 2)
})

test('a clock that is set back lengthens neither how long a look-up is believed nor how long use is not noted', async (t) => {
  let found: StoredKey | undefined = { ...stored, grace_until: new Date(3_600_000) }
  const { ring, counted } = ringOn(async () => found)
  counted.wallClock = 3_600_000 - 1
  t.is(await ring.find(KEY), found)
  // The grace is by the wall clock.
  counted.wallClock = 3_600_000
  t.is(await ring.find(KEY), undefined)
  counted.wallClock = 0
  counted.now = 60_000
  t.is(await ring.find(KEY), found)
  t.is(counted.touches, 2)
  counted.now = 85_000
  found = undefined
  t.is(await ring.find(KEY), undefined)
  t.is(counted.lookups, 3)
})

test('looks a changed key up again, and every key after a reset', async (t) => {
  const { ring, counted } = ringOn(async () => stored)
  await ring.find(KEY)
  ring.forget(hashOfKey('another'))
  await ring.find(KEY)
  t.is(counted.lookups, 1)
  ring.forget(hashOfKey(KEY))
  await ring.find(KEY)
  t.is(counted.lookups, 2)
  ring.forget()
  await ring.find(KEY)
  t.is(counted.lookups, 3)
})

test('invented keys do not evict existing ones, nor does a change make one unknown', async (t) => {
  const requested: [hash: string, isKnown: boolean][] = []
  const ring = createKeyRing({
    find: async (hash, isKnown) => {
      const name = hash.toString('hex')
      requested.push([name, isKnown])
      return hash.equals(stored.key_hash) ? stored : undefined
    },
    touch: async () => {},
    now: () => 0,
    steadyMs: () => 0,
  })
  t.is(await ring.find(KEY), stored)
  for (let number = 0; number < 20_001; number++) await ring.find(`made up ${number}`)
  t.is(await ring.find(KEY), stored)
  const own = stored.key_hash.toString('hex')
  const ofOwn = () => requested.filter(([name]) => name === own).map(([, isKnown]) => isKnown)
  t.deepEqual(ofOwn(), [false])
  t.is(requested.length, 20_002)
  ring.forget(stored.key_hash)
  t.is(await ring.find(KEY), stored)
  ring.forget()
  t.is(await ring.find(KEY), stored)
  t.deepEqual(ofOwn(), [false, true, true])
  // One that was none may be made.
  const lookups = requested.length
  await ring.find('made up 20000')
  t.is(requested.length, lookups + 1, 'all were forgotten')
})

test('use is noted once a minute', async (t) => {
  const { ring, counted } = ringOn(async () => stored)
  for (counted.now = 0; counted.now < 120_000; counted.now += 500) await ring.find(KEY)
  t.is(counted.touches, 2)
})

test('repeats a failed look-up at once', async (t) => {
  let isAway = true
  const { ring } = ringOn(async () => {
    if (isAway) throw new Error('away')
    return stored
  })
  await t.throwsAsync(ring.find(KEY), { message: 'away' })
  isAway = false
  t.is(await ring.find(KEY), stored)
})

test('admits no revoked, expired or unknown key, and no other hash', async (t) => {
  const refused: (StoredKey | undefined)[] = [
    undefined,
    { ...stored, revoked_at: new Date(0) },
    { ...stored, grace_until: new Date(0) },
    { ...stored, key_hash: hashOfKey('another') },
  ]
  for (const answer of refused) {
    t.is(await ringOn(async () => answer).ring.find(KEY), undefined)
  }
})
