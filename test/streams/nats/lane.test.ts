/** Vectors that pin the lane of a key: a change of them sends the events of one key to two owners. */
import test from 'ava'
import { DEFAULT_LANE_COUNT, laneOf } from '../../../streams/nats/lane.ts'
import { poolOf } from '../../support/events/sample-event.ts'

/** A count that leaves the hash whole. */
const WHOLE = 2 ** 32

test('the hash is FNV-1a with its halves folded', (t) => {
  // Published FNV-1a of "", "a", "foobar": 811c9dc5, e40c292c, bf9cf968; low half ^= high half.
  t.is(laneOf('', WHOLE), 0x811c_1cd9)
  t.is(laneOf('a', WHOLE), 0xe40c_cd20)
  t.is(laneOf('foobar', WHOLE), 0xbf9c_46f4)
})

/** Key, its whole hash, its lane of 4, of 7 and of 16. */
const VECTORS: [string, number, number, number, number][] = [
  ['11111111111111111111111111111111', 0x20dd1578, 0, 6, 8],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 0x08a41838, 0, 5, 8],
  ['Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 0xe15e6bd4, 0, 3, 4],
  ['J1toso1uCk3RLmjorhTtrVwY9HJ7X8V9yYac6Y7kGCPn', 0x93ebfd05, 1, 3, 5],
  ['mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So', 0x32c160d9, 1, 1, 9],
]

test('the lanes of known keys do not move', (t) => {
  for (const [key, whole, ofFour, ofSeven, ofSixteen] of VECTORS) {
    t.is(laneOf(key, WHOLE), whole, key)
    t.is(laneOf(key, 4), ofFour, key)
    t.is(laneOf(key, 7), ofSeven, key)
    t.is(laneOf(key, 16), ofSixteen, key)
  }
  t.is(DEFAULT_LANE_COUNT, 1)
})

test('addresses spread evenly over the lanes', (t) => {
  const keys = Array.from({ length: 4_000 }, (_, n) => poolOf(n))
  for (const count of [1, 2, 4, 7, 16]) {
    const sizes = new Array<number>(count).fill(0)
    for (const key of keys) sizes[laneOf(key, count)]! += 1
    const even = keys.length / count
    // Six standard deviations of a fair draw.
    const slack = 6 * Math.sqrt(even)
    t.true(
      sizes.every((size) => Math.abs(size - even) <= slack),
      `${count}: ${sizes}`,
    )
  }
})
