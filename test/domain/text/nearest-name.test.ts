/** The known name that a mistyped one is resolved to. */
import test from 'ava'
import fc from 'fast-check'
import { nearestName } from '../../../domain/text/nearest-name.ts'

const COMMANDS = ['up', 'ingest', 'simulate', 'status', 'keys', 'api', 'worker', 'verify', 'replay']
const SWAPS = ['token_address', 'pair_address', 'user', 'dex', 'is_buy', 'min_sol', 'from', 'to']
const SCREENER = ['min_liquidity_usd', 'max_liquidity_usd', 'min_trades', 'sort', 'order', 'limit']

const CASES: readonly [why: string, word: string, known: string[], expected: string | null][] = [
  ['the name itself', 'from', SWAPS, 'from'],
  ['another case', 'Token_Address', SWAPS, 'token_address'],
  ['camel case', 'tokenAddress', SWAPS, 'token_address'],
  ['hyphens', 'token-address', SWAPS, 'token_address'],
  ['a letter left out', 'tokn_address', SWAPS, 'token_address'],
  ['two slips in a long name', 'tokn_adress', SWAPS, 'token_address'],
  ['two letters swapped', 'form', SWAPS, 'from'],
  ['two letters swapped in a command', 'ingset', COMMANDS, 'ingest'],
  ['a letter too many', 'verrify', COMMANDS, 'verify'],
  ['a part of a name', 'token', SWAPS, 'token_address'],
  ['a part that two names have', 'address', SWAPS, null],
  ['more than a name', 'sort_by', SCREENER, 'sort'],
  ['the parts in another order', 'liquidity_min', SCREENER, 'min_liquidity_usd'],
  ['a beginning', 'sim', COMMANDS, 'simulate'],
  ['a beginning of two letters', 'si', COMMANDS, null],
  ['another name of as many letters', 'wallet_address', SWAPS, null],
  ['a short word one letter off', 'tx', SWAPS, null],
  ['nothing alike', 'banana', SWAPS, null],
  ['no letters', '__', SWAPS, null],
  ['nothing at all', '', SWAPS, null],
  ['nothing known', 'from', [], null],
  ['a property of every object', 'constructor', SWAPS, null],
  ['a word without end', `${'from'.repeat(5_000)}`, SWAPS, null],
]

for (const [why, word, known, expected] of CASES) {
  test(`suggests a name: ${why}`, (t) => {
    t.is(nearestName(word, known), expected)
  })
}

test('one slip of the hand in a name of six letters or more never leads elsewhere', (t) => {
  const names = [...SWAPS, ...SCREENER].filter((name) => name.length >= 6)
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.nat(),
      fc.constantFrom('x', ''),
      (name, at, letter) => {
        const index = at % name.length
        const slipped = name.slice(0, index) + letter + name.slice(index + 1)
        t.is(nearestName(slipped, names), name)
      },
    ),
  )
})
