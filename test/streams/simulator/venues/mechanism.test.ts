/** The pools by themselves: hand-computed fills, and invariants for any series of trades. */
import test from 'ava'
import fc from 'fast-check'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { Concentrated } from '../../../../streams/simulator/venues/concentrated.ts'
import { ConstantProduct } from '../../../../streams/simulator/venues/constant-product.ts'
import { BondingCurve } from '../../../../streams/simulator/venues/curve.ts'
import { HiddenPrice } from '../../../../streams/simulator/venues/hidden-price.ts'
import { LinearLaunch } from '../../../../streams/simulator/venues/launch.ts'
import type { Mechanism, Reserves } from '../../../../streams/simulator/venues/mechanism.ts'

const SOL = 1_000_000_000n

function reservesOf(mechanism: Mechanism): Reserves {
  const reserves = {
    virtualSolReserves: 0,
    virtualTokenReserves: 0,
    realSolReserves: 0,
    realTokenReserves: 0,
  }
  mechanism.report(reserves)
  return reserves
}

test('the curve fills the first buy of 1 SOL and buys the tokens back for 1 lamport less', (t) => {
  const curve = new BondingCurve()
  // floor(1,073,000,000e6 * 1 / 31) = 34,612,903,225,806 of .45; fee 95 bps of 1e9.
  t.deepEqual(curve.buy(SOL), { sol: SOL, token: 34_612_903_225_806n, fee: 9_500_000n })
  t.deepEqual(reservesOf(curve), {
    virtualSolReserves: 31_000_000_000,
    virtualTokenReserves: 1_038_387_096_774_194,
    realSolReserves: 1_000_000_000,
    realTokenReserves: 758_487_096_774_194,
  })
  // 31e9 * 34,612,903,225,806 / 1,073e12 = 999,999,999.98..., rounded down.
  t.is(curve.sell(34_612_903_225_806n)?.sol, 999_999_999n)
})

test('the curve sells its last token when it holds 85.005 SOL, and not one more', (t) => {
  const curve = new BondingCurve()
  // 30 * 1,073 / 279.9 - 30 = 85.005359056806... SOL, rounded up.
  const last = curve.buy(500n * SOL)
  t.is(last?.sol, 85_005_359_057n)
  t.is(last?.token, 793_100_000_000_000n)
  t.true(curve.isSoldOut())
  t.is(curve.buy(SOL), undefined)
})

test('a constant product charges its fee on the input leg or on the SOL side', (t) => {
  const start = { sol: 1_000_000_000n, token: 2_000_000n, feeBps: 25 }
  const input = new ConstantProduct({ ...start, feeSide: 'input' })
  // Fee 25,000; 2,000,000 * 9,975,000 / 1,009,975,000 = 19,752.96, rounded down.
  t.deepEqual(input.buy(10_000_000n), { sol: 10_000_000n, token: 19_752n, fee: 25_000n })
  const selling = new ConstantProduct({ ...start, feeSide: 'input' })
  // 10,000 tokens less 25; 1e9 * 9,975 / 2,009,975 = 4,962,748.3; 25 bps of it in lamports.
  t.deepEqual(selling.sell(10_000n), { sol: 4_962_748n, token: 10_000n, fee: 12_406n })
  const sol = new ConstantProduct({ ...start, feeBps: 20, feeSide: 'sol' })
  // 1e9 * 10,000 / 2,010,000 = 4,975,124; fee 9,950.2 rounded up.
  t.deepEqual(sol.sell(10_000n), { sol: 4_965_173n, token: 10_000n, fee: 9_951n })
})

test('SOL outside the reported account prices trades but is never paid out', (t) => {
  const unreportedSol = 17_580_000_000n
  const pool = new ConstantProduct({
    sol: 20n * SOL,
    token: 1_000_000n,
    feeBps: 20,
    feeSide: 'sol',
    unreportedSol,
  })
  t.is(reservesOf(pool).realSolReserves, 2_420_000_000)
  t.is(pool.price(), 20_000)
  // Half of the pool's 20 SOL would be more than the reported 2.42.
  t.is(pool.sell(1_000_000n), undefined)
  t.is(reservesOf(pool).realSolReserves, 2_420_000_000)
  t.not(pool.sell(10_000n), undefined)
})

test('the launch line costs 30 lamports for the first token and 300 for the last', (t) => {
  const launch = new LinearLaunch(6)
  t.true(Math.abs(launch.price() - 30e-6) < 1e-18)
  const all = launch.buy(1000n * SOL)
  // 30 * 8e8 + 27 / 1.6e8 * 6.4e17 = 24e9 + 108e9 lamports.
  t.is(all?.sol, 132n * SOL)
  t.is(all?.token, 800_000_000_000_000n)
  t.true(Math.abs(launch.price() - 300e-6) < 1e-15)
  t.true(launch.isSoldOut())
})

test('the hidden price shows no reserves and has a spread', (t) => {
  const pool = new HiddenPrice(new Prng([1]), 0.5, 1e12)
  // 1,000,000 lamports at 0.5005 each; 10 bps of it is the fee.
  t.deepEqual(pool.buy(1_000_000n), { sol: 1_000_000n, token: 1_998_001n, fee: 1000n })
  t.is(reservesOf(pool).realSolReserves, 0)
})

test('concentrated liquidity executes at the geometric mean within a range, between beyond', (t) => {
  const pool = new Concentrated({ price: 0.0004, depthLamports: 1e12, feeBps: 30 })
  const small = pool.buy(SOL)!
  const mean = Math.sqrt(small.priceBefore! * small.priceAfter!)
  t.true(Math.abs(Number(small.sol - small.fee) / Number(small.token) / mean - 1) < 1e-9)
  // 200 SOL cross the ends at 1.03, 1.15 and 1.6 of the root.
  const large = pool.buy(200n * SOL)!
  t.is(large.priceBefore, small.priceAfter)
  t.true(large.priceAfter! > large.priceBefore! * 1.6 ** 2)
  const executed = Number(large.sol - large.fee) / Number(large.token)
  t.true(executed > large.priceBefore! && executed < large.priceAfter!)
})

test('concentrated liquidity refuses a trade beyond its ranges and stays unchanged', (t) => {
  const pool = new Concentrated({ price: 0.0004, depthLamports: 1e12, feeBps: 30 })
  const before = { ...reservesOf(pool), price: pool.price() }
  t.is(pool.buy(10_000_000n * SOL), undefined)
  t.is(pool.sell(10n ** 22n), undefined)
  t.deepEqual({ ...reservesOf(pool), price: pool.price() }, before)
})

test('liquidity moves no concentrated price, and removing it returns no more than was added', (t) => {
  const pool = new Concentrated({ price: 0.0004, depthLamports: 1e12, feeBps: 30 })
  const price = pool.price()
  const before = reservesOf(pool)
  const depth = pool.depthLamports()
  const added = pool.changeLiquidity(100)!
  t.is(pool.price(), price)
  t.true(Math.abs(pool.depthLamports() / depth - 1.1) < 1e-9)
  t.is(reservesOf(pool).realSolReserves, Number(before.realSolReserves) + Number(added.sol))
  const removed = pool.changeLiquidity(-90)!
  t.true(removed.sol <= added.sol && removed.token <= added.token)
})

const OPENERS: Readonly<Record<string, () => Mechanism>> = {
  'the bonding curve': () => new BondingCurve(),
  'the input-fee product': () =>
    new ConstantProduct({ sol: 50n * SOL, token: 10n ** 15n, feeBps: 25, feeSide: 'input' }),
  'the SOL-fee product': () =>
    new ConstantProduct({ sol: 50n * SOL, token: 10n ** 15n, feeBps: 20, feeSide: 'sol' }),
  'concentrated liquidity': () =>
    new Concentrated({ price: 5e-5, depthLamports: 100e9, feeBps: 5 }),
  'the launch line': () => new LinearLaunch(6),
}
const lamportsDrawn = fc.bigInt({ min: 1n, max: 5n * SOL })

for (const [name, open] of Object.entries(OPENERS)) {
  test(`pays out no more of ${name} than was paid in, for any trades`, (t) => {
    fc.assert(
      fc.property(fc.array(lamportsDrawn, { minLength: 1, maxLength: 30 }), (buys) => {
        const pool = open()
        let paid = 0n
        const bought: bigint[] = []
        for (const lamports of buys) {
          const legs = pool.buy(lamports)
          if (legs === undefined) continue
          paid += legs.sol
          bought.push(legs.token)
        }
        let received = 0n
        for (const token of bought.reverse()) {
          const legs = pool.sell(token)
          received += legs?.sol ?? 0n
        }
        return received <= paid && reservesOf(pool).realSolReserves >= 0
      }),
    )
    t.pass()
  })
}
