/** Trimming of names and of pasted addresses, and characters that stay. */
import test from 'ava'
import fc from 'fast-check'
import { isAddress } from '../../../domain/numbers/base58.ts'
import { trimGiven, trimName, trimPasted } from '../../../domain/text/padding.ts'
import { PASTED } from '../../support/api/pasted.ts'
import { anyText } from '../../support/events/any-text.ts'
import { MINT, SIGNATURE } from '../../support/events/sample-event.ts'

for (const [what, dress] of PASTED) {
  test(`trims ${what} around an address or a signature`, (t) => {
    t.is(trimPasted(dress(MINT)), MINT)
    t.is(trimGiven('address', dress(MINT)), MINT)
    t.is(trimGiven('signature', dress(SIGNATURE)), SIGNATURE)
  })
}

test('leaves characters within an address, so that it is refused', (t) => {
  for (const within of [' ', '\n', '"', '\u200b', '\u0000']) {
    const broken = `${MINT.slice(0, 20)}${within}${MINT.slice(20)}`
    t.is(trimPasted(broken), broken)
    t.false(isAddress(trimPasted(broken)))
  }
})

test('trims only NULs and white space of a name, not its quotes or invisible characters', (t) => {
  t.is(trimName('\0 "BONK" \0\0'), '"BONK"')
  t.is(trimName('\u200bBO NK\u202e'), '\u200bBO NK\u202e')
  t.is(trimName(' \0\t\n'), '')
})

test('reads other parameters verbatim', (t) => {
  for (const format of [undefined, 'cursor', 'date', 'int64']) {
    t.is(trimGiven(format, ' "x" '), ' "x" ')
  }
})

test('trimming is idempotent, and changes no inner character', (t) => {
  fc.assert(
    fc.property(anyText(20), (text) => {
      for (const trim of [trimName, trimPasted]) {
        t.is(trim(trim(text)), trim(text))
        t.true(text.includes(trim(text)))
      }
    }),
  )
})
