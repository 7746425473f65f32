/** The bounds of the market's memory: holders of a mint, pools of a venue. */
import test from 'ava'
import { MIGRATION_CORRECTION_FROM_MS } from '../../../domain/venue.ts'
import { Holdings } from '../../../streams/simulator/cast/holdings.ts'
import { Crowd } from '../../../streams/simulator/cast/wallets.ts'
import { drawMint } from '../../../streams/simulator/mint.ts'
import { openLaunch, openMigrated } from '../../../streams/simulator/pool.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { Roster } from '../../../streams/simulator/roster.ts'
import { BondingCurve } from '../../../streams/simulator/venues/curve.ts'

test('holdings record balances, drop wallets that sold all and refuse to sell more', (t) => {
  const prng = new Prng([1])
  const crowd = new Crowd(prng)
  const holdings = new Holdings()
  const [first, second] = [crowd.newcomer(), crowd.newcomer()]
  holdings.add(first, 10n)
  holdings.add(second, 5n)
  holdings.add(first, 1n)
  t.is(holdings.of(first)?.balance, 11n)
  holdings.take(holdings.of(first)!, 11n)
  t.is(holdings.of(first), undefined)
  t.is(holdings.any(prng)?.wallet, second)
  t.throws(() => holdings.take(holdings.of(second)!, 6n), { instanceOf: RangeError })
})

test('a mint is full at 400 holders and no longer once one sold out', (t) => {
  const crowd = new Crowd(new Prng([1]))
  const holdings = new Holdings()
  const wallets = Array.from({ length: 400 }, () => crowd.newcomer())
  t.false(holdings.isFull)
  for (const wallet of wallets) holdings.add(wallet, 1n)
  t.true(holdings.isFull)
  holdings.take(holdings.of(wallets[7]!)!, 1n)
  t.false(holdings.isFull)
})

test('a roster stays within its capacity, and a dropped pool leaves its mint', (t) => {
  const prng = new Prng([2])
  const crowd = new Crowd(prng)
  const roster = new Roster(prng, 3)
  const pools = Array.from({ length: 10 }, () =>
    openLaunch(prng, 1, drawMint(prng, crowd.creator(), 6), false),
  )
  for (const pool of pools) roster.insert(pool, false)
  const live = pools.filter((pool) => pool.mint.pools.includes(pool))
  t.is(live.length, 3)
  for (let draw = 0; draw < 100; draw++) t.true(live.includes(roster.draw()!))
})

test('a curve that migrates from the cut-over on reports 17.58 SOL too little', (t) => {
  const prng = new Prng([3])
  const mint = drawMint(prng, new Crowd(prng).creator(), 6)
  const curve = new BondingCurve()
  curve.buy(500_000_000_000n)
  const shown = (atMs: number) => {
    const reserves = {
      virtualSolReserves: 0,
      virtualTokenReserves: 0,
      realSolReserves: 0,
      realTokenReserves: 0,
    }
    openMigrated(prng, curve, mint, atMs).pool.mechanism.report(reserves)
    return reserves.realSolReserves
  }
  // 85.005359057 SOL less 0.015 retained.
  t.is(shown(MIGRATION_CORRECTION_FROM_MS - 1), 84_990_359_057)
  t.is(shown(MIGRATION_CORRECTION_FROM_MS), 67_410_359_057)
})
