// A request for a wallet's positions requests a comparison with the chain: real queues, a job process, a balance node
// over HTTP.

import test from 'ava'
import { openBalances } from '../../../../chain/accounts/providers.ts'
import { apiUnderTest, SILENT } from '../../../support/api/api-under-test.ts'
import { insertLedger } from '../../../support/api/insert-ledger.ts'
import { mint, trader } from '../../../support/market/sample-swap.ts'
import { startBalanceNode } from '../../../support/servers/balance-node.ts'
import { openJobBench } from '../../../support/workers/jobs.ts'
import { until } from '../../../support/workers/pipeline.ts'
import { swapsOf } from './ledger-swaps.ts'

const BOUND_MS = 60_000
const QUESTIONS = 2
const MINUTE_MS = 60_000

test('a look at positions has the wallet compared with the chain, and again after 5 minutes', async (t) => {
  const node = await startBalanceNode()
  t.teardown(() => node.stop())
  const jobs = openJobBench(t)
  const balances = openBalances({ rpcUrl: node.rpcUrl, log: SILENT, timeoutMs: BOUND_MS })
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const { get, db, databaseUrl } = await apiUnderTest(t, { balances, jobs: jobs.queue(), now })
  await insertLedger(
    db,
    swapsOf([
      { mint: 1, isBuy: true, tokens: 5, sol: 1 },
      { mint: 2, isBuy: true, tokens: 5, sol: 1 },
    ]),
  )
  node.hold(trader(1), [
    { mint: mint(1), quantity: 5_000_000n, decimals: 6 },
    { mint: mint(9), quantity: 5n, decimals: 0 },
  ])
  const path = `/v2/pnl/wallets/${trader(1)}/positions`
  const look = async () => (await get(path)).body
  t.like(await look(), { reconciled: false, total: 2, onchain_held_count: null })
  jobs.work({ databaseUrl, balances })
  const isReconciled = async (): Promise<boolean> => (await look()).reconciled === true
  await until('the wallet is reconciled', BOUND_MS, isReconciled)
  t.like(await look(), { total: 1, onchain_held_count: 2, unmatched_onchain_count: 1 })
  // An unknown wallet is not compared; nor is one whose pass is still fresh.
  await get(`/v2/pnl/wallets/${trader(2)}/positions`)
  t.is(node.questions.length, QUESTIONS)
  aheadMs = 6 * MINUTE_MS
  await db.query('update reconciliation set reconciled_ms = reconciled_ms - $1', [6 * MINUTE_MS])
  node.hold(trader(1), [])
  const hasNothing = async (): Promise<boolean> => (await look()).onchain_held_count === 0
  await until('the wallet is compared again', BOUND_MS, hasNothing)
  t.is(node.questions.length, 2 * QUESTIONS)
})

test('without a provider, or with Redis away, positions are answered without a request to a node', async (t) => {
  const jobs = openJobBench(t)
  const lost = openJobBench(t, 'redis://127.0.0.1:1')
  const balances = openBalances({ rpcUrl: 'http://127.0.0.1:1', log: SILENT })
  for (const options of [{ jobs: jobs.queue() }, { balances, jobs: lost.queue() }]) {
    const { get, db } = await apiUnderTest(t, options)
    await insertLedger(db, swapsOf([{ mint: 1, isBuy: true, tokens: 5, sol: 1 }]))
    const { status, body } = await get(`/v2/pnl/wallets/${trader(1)}/positions`)
    t.is(status, 200)
    t.is(body.reconciled, false)
  }
  const depths = await jobs.queue().depths()
  t.is(depths.find(({ name }) => name === 'reconcile')?.waiting, 0)
})
