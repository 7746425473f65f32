/** The source of chance: same seeds, same draws; and the distributions that the market leans on. */
import test from 'ava'
import { decodeBase58, isAddress, isSignature } from '../../../domain/numbers/base58.ts'
import { drawAddress, drawSignature } from '../../../streams/simulator/base58-draw.ts'
import { Prng } from '../../../streams/simulator/prng.ts'

const DRAWS = 50_000

test('the same seeds give the same draws, and any other seed gives others', (t) => {
  const draws = (seeds: number[]) => {
    const prng = new Prng(seeds)
    return Array.from({ length: 100 }, () => prng.bits())
  }
  t.deepEqual(draws([1, 1_785_542_400_000]), draws([1, 1_785_542_400_000]))
  t.notDeepEqual(draws([1, 1_785_542_400_000]), draws([2, 1_785_542_400_000]))
  // The high half of a seed counts as well: these differ by 2^32.
  t.notDeepEqual(draws([1]), draws([1 + 2 ** 32]))
})

test('ranks follow Zipf: rank k is drawn like 1 / (k + 1), and never outside', (t) => {
  const prng = new Prng([7])
  const counts = new Array<number>(100).fill(0)
  for (let draw = 0; draw < DRAWS; draw++) {
    const rank = prng.rank(100)
    counts[rank] = counts[rank]! + 1
  }
  // P(rank <= k) = ln(k + 2) / ln(101): 15.0 % for the first, 51.96 % for the first ten.
  const share = (first: number) =>
    counts.slice(0, first).reduce((sum, count) => sum + count, 0) / DRAWS
  t.true(Math.abs(share(1) - Math.log(2) / Math.log(101)) < 0.01)
  t.true(Math.abs(share(10) - Math.log(11) / Math.log(101)) < 0.01)
  t.is(share(100), 1)
})

test('a normal draw has mean 0 and deviation 1', (t) => {
  const prng = new Prng([8])
  let sum = 0
  let squares = 0
  for (let draw = 0; draw < DRAWS; draw++) {
    const value = prng.normal()
    sum += value
    squares += value * value
  }
  t.true(Math.abs(sum / DRAWS) < 0.02)
  t.true(Math.abs(squares / DRAWS - 1) < 0.03)
})

test('drawn addresses are 32 bytes and signatures 64, all distinct', (t) => {
  const prng = new Prng([9])
  const seen = new Set<string>()
  for (let draw = 0; draw < 20_000; draw++) {
    const walletAddress = drawAddress(prng)
    const signature = drawSignature(prng)
    if (!isAddress(walletAddress) || !isSignature(signature))
      t.fail(`${walletAddress} ${signature}`)
    seen.add(walletAddress).add(signature)
  }
  t.is(seen.size, 40_000)
})

test('the drawn first digits decode to the wanted length with any suffix', (t) => {
  const bytesOf = (first: string, rest: string, length: number) =>
    decodeBase58(first + rest.repeat(length - 1))?.length
  // Least and greatest texts of 44 digits that begin with digit 1 ('2') to 16 ('H').
  t.is(bytesOf('2', '1', 44), 32)
  t.is(bytesOf('H', 'z', 44), 32)
  // And of 88 that begin with digit 1 ('2') to 4 ('5').
  t.is(bytesOf('2', '1', 88), 64)
  t.is(bytesOf('5', 'z', 88), 64)
})
