/** Texts that an account states of a mint, cleaned. */
import test from 'ava'
import fc from 'fast-check'
import { cleanTexts } from '../../../domain/text/token-text.ts'
import { anyText } from '../../support/events/any-text.ts'

test('removes padding and control characters, composes, and cuts', (t) => {
  t.deepEqual(cleanTexts({ name: `Dog${'\0'.repeat(29)}`, symbol: 'DOG\0\0' }), {
    name: 'Dog',
    symbol: 'DOG',
  })
  t.deepEqual(cleanTexts({ name: ' a\u0007b\nc\u0085d\t' }), { name: 'abcd' })
  t.deepEqual(cleanTexts({ name: 'cafe\u0301' }), { name: 'caf\u00e9' })
  t.deepEqual(cleanTexts({ name: 'x'.repeat(40), symbol: 'y'.repeat(40) }), {
    name: 'x'.repeat(32),
    symbol: 'y'.repeat(10),
  })
  // A character outside the basic plane is one, and no half of it stays; a cut that ends in a space ends before it.
  t.deepEqual(cleanTexts({ symbol: '\u{1f436}'.repeat(11) }), { symbol: '\u{1f436}'.repeat(10) })
  t.deepEqual(cleanTexts({ symbol: '123456789 123' }), { symbol: '123456789' })
})

test('leaves out what is empty after it, and an address that is too long', (t) => {
  t.deepEqual(cleanTexts({ name: ' \0\n', symbol: '', uri: '\0' }), {})
  t.deepEqual(cleanTexts({ name: 'a', uri: `https://${'x'.repeat(200)}` }), { name: 'a' })
  t.deepEqual(cleanTexts({ uri: 'https://example.com/\0\0' }), { uri: 'https://example.com/' })
})

test('any text becomes one that a token line may state, and is cleaned once', (t) => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const once = cleanTexts({ name: text, symbol: text, uri: text })
      t.deepEqual(cleanTexts(once), once)
      for (const value of Object.values(once)) {
        t.true(value.isWellFormed())
        t.notRegex(value, /\p{Cc}/u)
      }
    }),
  )
})
