/**
 * Holders of tokens whose wallets alone are read again: for any trades they equal the holders of all stored positions;
 * and a change without a notification is found when the token is recomputed, or in the end.
 */
import test from 'ava'
import { Prng } from '../../../../streams/simulator/prng.ts'
import { forEachPage } from '../../../../workers/ranking/token-pages.ts'
import {
  END_MINUTE,
  type HolderKey,
  openKnown,
  openMarket,
} from '../../../support/ranking/holder-market.ts'

const STEPS = 80
const READINGS_UNTIL_WHOLE = 1_001

test('holders equal those of all positions after any trades', async (t) => {
  const market = await openMarket(t)
  const prng = new Prng([601, 1])
  await market.db.query('create table gone as select * from position with no data')
  const change = async (key: HolderKey) => {
    const { tokenId, walletId } = key
    const own = `token_id = ${tokenId} and wallet_id = ${walletId}`
    const isBack = prng.below(4) > 0
    await market.db.query(
      isBack
        ? `with back as (delete from gone where ${own} returning *) insert into position select * from back`
        : `with away as (delete from position where ${own} returning *) insert into gone select * from away`,
    )
    const scale = [0n, 1n, 10n ** 9n, 10n ** 15n, 2n ** 63n][prng.below(5)]!
    const minutes = Array.from({ length: prng.below(4) }, () => END_MINUTE - prng.below(1_600))
    const changes = minutes.map((minute) => (prng.below(2) === 0 ? minute : -minute))
    const isNull = changes.length === 0 && prng.below(2) === 0
    await market.hold(key, scale * BigInt(1 + prng.below(5)), isNull ? null : changes)
  }
  await market.refresh([], true)
  for (let step = 0; step < STEPS; step++) {
    const count = step % 10 === 0 ? 50 : 1 + prng.below(3)
    const traded = Array.from({ length: count }, () => market.keys[prng.below(market.keys.length)]!)
    for (const holder of traded) await change(holder)
    const read = await market.refresh(traded)
    t.deepEqual(
      new Set(read),
      new Set(traded.map(({ tokenId }) => tokenId)),
      'those that traded were read',
    )
    const stored = await market.stored()
    t.deepEqual(market.remembered(), stored, `step ${step}`)
    t.deepEqual(await market.summed(), stored, `summed at step ${step}`)
  }
})

test('reads only wallets that traded of a known token, until it is recomputed', async (t) => {
  const { market, first, second } = await openKnown(t)
  await market.hold(second, 7n ** 20n, null)
  await market.refresh([first])
  t.notDeepEqual(market.remembered(), await market.stored(), 'nobody told of it')
  market.watch.invalidate([second.tokenId])
  await market.refresh([])
  t.deepEqual(market.remembered(), await market.stored())
})

test('reads only the recomputed position of a known token', async (t) => {
  const { market, second, third, single } = await openKnown(t)
  await market.hold(second, 7n ** 20n, null)
  await market.hold(third, 7n ** 21n, null)
  market.watch.invalidateWallet(second.tokenId, second.walletId)
  t.deepEqual(await market.refresh([]), [second.tokenId])
  t.notDeepEqual(market.remembered(), await market.stored(), 'nobody told of the third')
  market.watch.invalidateWallet(third.tokenId, third.walletId)
  t.deepEqual(await market.refresh([]), [third.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  await market.hold(single, 0n, null)
  market.watch.invalidateWallet(single.tokenId, single.walletId)
  t.deepEqual(await market.refresh([]), [single.tokenId])
  t.deepEqual(market.remembered(), await market.stored())
  t.deepEqual(await market.refresh([]), [], 'nothing waits')
})

test('finds an unreported change once the token is read as a whole again', async (t) => {
  const { market, first, second } = await openKnown(t)
  await market.hold(second, 7n ** 20n, null)
  for (let refresh = 0; refresh < READINGS_UNTIL_WHOLE; refresh++) await market.refresh([first])
  t.deepEqual(market.remembered(), await market.stored())
})

test('processes tokens by pages, each once, and rejects with an error of a page', async (t) => {
  const taken: number[] = []
  const tokenIds = Array.from({ length: 4_321 }, (_, tokenId) => tokenId)
  await forEachPage(tokenIds, async (page) => {
    t.true(page.length <= 1_000)
    taken.push(...page)
  })
  t.deepEqual(
    taken.sort((a, b) => a - b),
    tokenIds,
  )
  const failing = forEachPage(tokenIds, () => Promise.reject(new RangeError('page')))
  await t.throwsAsync(failing, { instanceOf: RangeError })
})
