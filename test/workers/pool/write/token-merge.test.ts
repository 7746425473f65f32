/** Token lines of a batch: each field by its own highest slot, ties by the greater text, in any order. */
import test from 'ava'
import fc from 'fast-check'
import type { Token } from '../../../../domain/events/token.ts'
import { mergeTokens } from '../../../../workers/pool/write/token-merge.ts'
import { anyText } from '../../../support/events/any-text.ts'

const FIELDS = ['creator', 'decimals', 'symbol', 'name', 'supply', 'sector', 'uri'] as const

/** The rows of the parameters: mint, then the value of each field and its slot. */
function rowsOf(tokens: readonly Token[]) {
  const columns = mergeTokens(tokens)
  return (columns[0] as string[]).map((mint, row) => {
    const known: Record<string, [unknown, unknown]> = {}
    for (const [index, field] of FIELDS.entries()) {
      const [value, slot] = [columns[1 + 2 * index]![row], columns[2 + 2 * index]![row]]
      if (value !== null || slot !== null) known[field] = [value, slot]
    }
    return { mint, known }
  })
}

const known = (...tokens: Partial<Token>[]) =>
  rowsOf(tokens.map((token) => ({ tokenAddress: 'm', slot: 0, ...token })))[0]?.known

test('merges each field by its highest slot', (t) => {
  t.deepEqual(
    known(
      { slot: 5, symbol: 'OLD', name: 'kept' },
      { slot: 9, symbol: 'NEW' },
      { slot: 7, symbol: 'MID', decimals: 6 },
    ),
    { symbol: ['NEW', 9], name: ['kept', 5], decimals: [6, 7] },
  )
})

test('chooses the greater text of one slot', (t) => {
  t.deepEqual(known({ symbol: 'a' }, { symbol: 'b' }), { symbol: ['b', 0] })
  t.deepEqual(known({ symbol: 'b' }, { symbol: 'a' }), { symbol: ['b', 0] })
  // Numbers are compared as texts: "9" is greater than "10".
  t.deepEqual(known({ decimals: 9 }, { decimals: 10 }), { decimals: [9, 0] })
  t.deepEqual(known({ supply: 2n ** 63n - 1n }, { supply: 95 }), { supply: [95, 0] })
  // Compared as bytes of UTF-8: U+1F30A (f0...) after U+FF01 (ef...), where UTF-16 units order otherwise.
  t.deepEqual(known({ symbol: '\u{1F30A}' }, { symbol: '\uFF01' }), { symbol: ['\u{1F30A}', 0] })
})

test('empty texts and zeros are something that is known', (t) => {
  t.deepEqual(known({ slot: 1, symbol: '', decimals: 0, supply: 0 }), {
    symbol: ['', 1],
    decimals: [0, 1],
    supply: [0, 1],
  })
  t.deepEqual(known({ slot: 1, symbol: 'x' }, { slot: 2, symbol: '' }), { symbol: ['', 2] })
})

test('an empty line deletes no value and still names its mint', (t) => {
  t.deepEqual(known({ symbol: 'x' }, { slot: 99 }), { symbol: ['x', 0] })
  t.deepEqual(rowsOf([{ tokenAddress: 'm', slot: 3 }]), [{ mint: 'm', known: {} }])
})

test('mints are merged apart and come sorted as bytes', (t) => {
  const lines = ['b', 'a', 'B', 'a'].map((tokenAddress, slot) => ({
    tokenAddress,
    slot,
    name: `${slot}`,
  }))
  t.deepEqual(rowsOf(lines), [
    { mint: 'B', known: { name: ['2', 2] } },
    { mint: 'a', known: { name: ['3', 3] } },
    { mint: 'b', known: { name: ['0', 0] } },
  ])
})

const lines: fc.Arbitrary<Token[]> = fc.array(
  fc.record(
    {
      tokenAddress: fc.constantFrom('m', 'n'),
      slot: fc.nat(2),
      creator: fc.constantFrom('C', 'c'),
      decimals: fc.nat(18),
      symbol: anyText(2),
      supply: fc.constantFrom(9, 10, 2n ** 53n),
    },
    { requiredKeys: ['tokenAddress', 'slot'] },
  ),
  { maxLength: 12 },
)

/** The merged rows as lines again, one a field. */
const asLines = (tokens: readonly Token[]): Token[] =>
  rowsOf(tokens).flatMap(({ mint, known }) => [
    { tokenAddress: mint, slot: 0 },
    ...Object.entries(known).map(
      ([field, [value, slot]]) => ({ tokenAddress: mint, slot, [field]: value }) as Token,
    ),
  ])

test('any order and any batches end in the same', (t) => {
  fc.assert(
    fc.property(lines, fc.nat(12), fc.infiniteStream(fc.nat()), (tokens, cut, draws) => {
      const whole = mergeTokens(tokens)
      const shuffled = tokens
        .map((token) => ({ token, draw: draws.next().value ?? 0 }))
        .sort((a, b) => a.draw - b.draw)
        .map(({ token }) => token)
      t.deepEqual(mergeTokens(shuffled), whole)
      t.deepEqual(mergeTokens([...asLines(tokens.slice(0, cut)), ...tokens.slice(cut)]), whole)
    }),
  )
})
