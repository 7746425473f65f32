// A long history in pages: bounded, in order, whole; and the event loop runs between two of them, so that other
// requests are answered while one history is folded.

import test from 'ava'
import { ledgerSwaps } from '../../../../api/resources/wallets/ledger-swaps.ts'
import { query } from '../../../../sql/query.ts'
import { inSnapshot } from '../../../../sql/snapshot.ts'
import { buy, signatureOf } from '../../../domain/ledger/histories.ts'
import { apiForFile } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { trader } from '../../../support/market/sample-swap.ts'

const SWAPS = 3_500
const PAGE = 1_000
const under = apiForFile()
const findWallet = query<{ id: number }>('swaps/find_wallet')

test('reads a long history in pages, and yields to other requests between two of them', async (t) => {
  const user = trader(1)
  const { db } = under()
  const swaps = Array.from({ length: SWAPS }, (_, n) => ({
    ...buy(n + 1, 10, 10),
    user,
    signature: signatureOf(n),
  }))
  await insertLedger(db, swaps)
  const [wallet] = await findWallet(db, [user])
  const pages: { slots: number[]; ticks: number }[] = []
  let ticks = 0
  let isDone = false
  const tick = (): void => {
    ticks += 1
    if (!isDone) setImmediate(tick)
  }
  setImmediate(tick)
  const connection = await db.connect()
  try {
    await inSnapshot(connection, async () => {
      for await (const page of ledgerSwaps(connection, { walletId: wallet?.id ?? 0, user })) {
        pages.push({ slots: page.map(({ slot }) => slot), ticks })
      }
    })
  } finally {
    isDone = true
    connection.release()
  }
  t.deepEqual(
    pages.flatMap(({ slots }) => slots),
    swaps.map(({ slot }) => slot),
  )
  t.true(pages.length >= SWAPS / PAGE)
  for (const [index, page] of pages.entries()) {
    t.true(page.slots.length <= PAGE)
    t.true(page.ticks > (pages[index - 1]?.ticks ?? 0))
  }
})
