/** A bounded cache of ids: used ones stay, unused ones are dropped, and it never exceeds two generations. */
import test from 'ava'
import fc from 'fast-check'
import { IdCache } from '../../../../workers/runtime/ids/id-cache.ts'

test('finds an id until two generations of others came after it', (t) => {
  const dictionary = new IdCache(2)
  dictionary.set('a', 1)
  dictionary.set('b', 2)
  // The third begins a new generation: a and b are the older one now.
  dictionary.set('c', 3)
  dictionary.set('d', 4)
  // The fifth lets a and b go, unless they were used.
  dictionary.set('e', 5)
  t.is(dictionary.get('a'), undefined)
  t.is(dictionary.get('b'), undefined)
  t.is(dictionary.get('e'), 5)
  t.is(dictionary.get('never set'), undefined)
})

test('retains an old id that is used again', (t) => {
  const dictionary = new IdCache(2)
  dictionary.set('a', 1)
  dictionary.set('b', 2)
  dictionary.set('c', 3)
  // Used: a moves into the young generation, beside c.
  t.is(dictionary.get('a'), 1)
  dictionary.set('d', 4)
  t.is(dictionary.get('a'), 1)
  t.is(dictionary.get('b'), undefined)
})

const operations = fc.array(
  fc.record({ isSet: fc.boolean(), text: fc.constantFrom(...'abcdefghij') }),
  { maxLength: 200 },
)

test('a memory never answers with the id of another, and the latest are always there', (t) => {
  fc.assert(
    fc.property(operations, fc.integer({ min: 1, max: 5 }), (steps, limit) => {
      const dictionary = new IdCache(limit)
      const latest: string[] = []
      for (const { isSet, text } of steps) {
        const id = text.charCodeAt(0)
        const found = dictionary.get(text)
        if (found !== undefined) t.is(found, id)
        if (latest.slice(-limit).includes(text)) t.is(found, id)
        if (isSet) dictionary.set(text, id)
        if (!isSet && found === undefined) continue
        if (latest.includes(text)) latest.splice(latest.indexOf(text), 1)
        latest.push(text)
      }
    }),
  )
})

test('no more than two generations are held', (t) => {
  const dictionary = new IdCache(100)
  for (let id = 0; id < 10_000; id++) dictionary.set(`wallet ${id}`, id)
  let held = 0
  for (let id = 9_999; id >= 0; id--) {
    // From the newest down: a found one is cached before its neighbour is requested.
    if (dictionary.get(`wallet ${id}`) !== undefined) held++
  }
  t.true(held >= 100 && held <= 200, `${held}`)
})
