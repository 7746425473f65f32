/** A bounded cache of ids: used ones stay, unused ones are dropped, and it never exceeds two generations. */
import test from 'ava'
import fc from 'fast-check'
import { IdCache } from '../../../../workers/runtime/ids/id-cache.ts'

test('finds an id until two generations of others came after it', (t) => {
  const cache = new IdCache(2)
  cache.set('a', 1)
  cache.set('b', 2)
  // The third begins a new generation: a and b are the older one now.
  cache.set('c', 3)
  cache.set('d', 4)
  // The fifth lets a and b go, unless they were used.
  cache.set('e', 5)
  t.is(cache.get('a'), undefined)
  t.is(cache.get('b'), undefined)
  t.is(cache.get('e'), 5)
  t.is(cache.get('never set'), undefined)
})

test('retains an old id that is used again', (t) => {
  const cache = new IdCache(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('c', 3)
  // Used: a moves into the young generation, alongside c.
  t.is(cache.get('a'), 1)
  cache.set('d', 4)
  t.is(cache.get('a'), 1)
  t.is(cache.get('b'), undefined)
})

const operations = fc.array(
  fc.record({ isSet: fc.boolean(), text: fc.constantFrom(...'abcdefghij') }),
  { maxLength: 200 },
)

test('a memory never answers with the id of another, and the latest are always there', (t) => {
  fc.assert(
    fc.property(operations, fc.integer({ min: 1, max: 5 }), (steps, limit) => {
      const cache = new IdCache(limit)
      const latest: string[] = []
      for (const { isSet, text } of steps) {
        const id = text.charCodeAt(0)
        const found = cache.get(text)
        if (found !== undefined) t.is(found, id)
        if (latest.slice(-limit).includes(text)) t.is(found, id)
        if (isSet) cache.set(text, id)
        if (!isSet && found === undefined) continue
        if (latest.includes(text)) latest.splice(latest.indexOf(text), 1)
        latest.push(text)
      }
    }),
  )
})

test('no more than two generations are held', (t) => {
  const cache = new IdCache(100)
  for (let id = 0; id < 10_000; id++) cache.set(`wallet ${id}`, id)
  let held = 0
  for (let id = 9_999; id >= 0; id--) {
    // From the newest down: a found one is cached before its neighbour is requested.
    if (cache.get(`wallet ${id}`) !== undefined) held++
  }
  t.true(held >= 100 && held <= 200, `${held}`)
})
