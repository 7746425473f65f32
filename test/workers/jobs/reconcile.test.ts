/** Wallets compared with the chain: a balance node over HTTP, real queues, real tables. */
import test, { type ExecutionContext } from 'ava'
import { openBalances } from '../../../chain/accounts/providers.ts'
import { type NodeOptions, NodeUnavailable } from '../../../chain/rpc/json-rpc.ts'
import { reconcile, writePass } from '../../../workers/jobs/reconcile.ts'
import { swapsOf } from '../../api/resources/pnl/ledger-swaps.ts'
import { insertLedger } from '../../support/api/insert-ledger.ts'
import { mint, trader } from '../../support/market/sample-swap.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { type BalanceNode, sendJson, startBalanceNode } from '../../support/servers/balance-node.ts'
import { type TestDatabase, testDatabase } from '../../support/servers/database.ts'
import { openJobBench } from '../../support/workers/jobs.ts'

const BOUND_MS = 60_000
/** Requests of one pass of the provider. */
const QUESTIONS = 2
const WALLETS = [1, 2, 3, 4]

type Bench = TestDatabase & {
  node: BalanceNode
  deps: Parameters<typeof reconcile>[1]
  run(wallet?: string): Promise<void>
}

/** Four wallets that bought mint 1. */
async function bench(t: ExecutionContext, options: Partial<NodeOptions> = {}): Promise<Bench> {
  const database = await testDatabase()
  t.teardown(() => database.drop())
  const node = await startBalanceNode()
  t.teardown(() => node.stop())
  const { log } = recordingLog()
  const balances = openBalances({ rpcUrl: node.rpcUrl, log, timeoutMs: BOUND_MS, ...options })
  const deps = { db: database.db, log, balances }
  const bought = WALLETS.map((user) => ({ user, mint: 1, isBuy: true, tokens: 5, sol: 1 }))
  await insertLedger(database.db, swapsOf(bought))
  const run = (wallet?: string) =>
    reconcile(wallet === undefined ? {} : { wallet }, deps, AbortSignal.timeout(BOUND_MS))
  return { ...database, node, deps, run }
}

async function heldOf({ db }: Bench, n: number) {
  const { rows } = await db.query(
    `select mint, quantity, decimals from held_token
     join wallet on wallet.id = wallet_id where address = $1 order by mint`,
    [trader(n)],
  )
  return rows
}

async function passesOf({ db }: Bench): Promise<Record<string, number>> {
  const { rows } = await db.query(
    'select address, reconciled_ms from reconciliation join wallet on wallet.id = wallet_id',
  )
  return Object.fromEntries(rows.map((row) => [row.address, row.reconciled_ms]))
}

/** Moves the newest passes back to that time. */
const age = ({ db }: Bench, toMs: number) =>
  db.query('update reconciliation set reconciled_ms = $1', [toMs])

test('compares a requested wallet once for several requests', async (t) => {
  const under = await bench(t)
  const jobs = openJobBench(t)
  under.node.hold(trader(1), [
    { mint: mint(1), quantity: 18_446_744_073_709_551_615n, decimals: 6 },
    { mint: mint(1), quantity: 1n, decimals: 6 },
    { mint: mint(9), quantity: 7n, decimals: 0, isToken2022: true },
  ])
  const { databaseUrl, deps } = under
  jobs.work({ databaseUrl, balances: deps.balances! })
  const beganMs = Date.now()
  const request = () =>
    jobs.queue().requestAndWait('reconcile', { wallet: trader(1) }, AbortSignal.timeout(BOUND_MS))
  await Promise.all([request(), request()])
  await request()
  t.deepEqual(
    await heldOf(under, 1),
    [
      { mint: mint(1), quantity: '18446744073709551616', decimals: 6 },
      { mint: mint(9), quantity: '7', decimals: 0 },
    ].sort((one, other) => (one.mint < other.mint ? -1 : 1)),
  )
  const passes = await passesOf(under)
  t.deepEqual(Object.keys(passes), [trader(1)])
  t.true(passes[trader(1)]! >= beganMs && passes[trader(1)]! <= Date.now())
  t.is(under.node.questions.length, QUESTIONS)
})

test('a later pass replaces holdings: changed, removed and new ones', async (t) => {
  const under = await bench(t)
  under.node.hold(trader(1), [
    { mint: mint(1), quantity: 5n, decimals: 6 },
    { mint: mint(2), quantity: 6n, decimals: 6 },
  ])
  await under.run(trader(1))
  await age(under, Date.now() - 4 * 60_000)
  await under.run(trader(1))
  t.is(under.node.questions.length, QUESTIONS)
  await age(under, Date.now() - 6 * 60_000)
  under.node.hold(trader(1), [
    { mint: mint(2), quantity: 60n, decimals: 6 },
    { mint: mint(3), quantity: 1n, decimals: 9 },
  ])
  await under.run(trader(1))
  const rows = await heldOf(under, 1)
  t.deepEqual(
    new Set(rows.map((row) => `${row.mint} ${row.quantity} ${row.decimals}`)),
    new Set([`${mint(2)} 60 6`, `${mint(3)} 1 9`]),
  )
  await age(under, 0)
  under.node.hold(trader(1), [])
  await under.run(trader(1))
  t.deepEqual(await heldOf(under, 1), [])
  t.true((await passesOf(under))[trader(1)]! > 0)
})

test('requests nothing for a wallet without swaps, or without a provider', async (t) => {
  const under = await bench(t)
  await under.run(trader(99))
  const { balances: _, ...without } = under.deps
  for (const payload of [{ wallet: trader(1) }, {}]) {
    await reconcile(payload, without, AbortSignal.timeout(BOUND_MS))
  }
  t.deepEqual(under.node.questions, [])
  t.deepEqual(await passesOf(under), {})
})

test('a failing provider leaves the stored holdings, and the job fails with the reason', async (t) => {
  const under = await bench(t)
  const { rpcUrl } = under.node
  const impatient = openBalances({ rpcUrl, log: under.deps.log, timeoutMs: 2_000 })
  under.node.hold(trader(1), [{ mint: mint(1), quantity: 5n, decimals: 6 }])
  await under.run(trader(1))
  await age(under, 0)
  const before = await heldOf(under, 1)
  for (const misbehave of [
    () => {},
    (response: Parameters<typeof sendJson>[0]) => response.writeHead(500).end(),
    (response: Parameters<typeof sendJson>[0]) => sendJson(response, { result: { value: [{}] } }),
  ]) {
    under.node.misbehave(misbehave)
    const failing = reconcile(
      { wallet: trader(1) },
      { ...under.deps, balances: impatient },
      AbortSignal.timeout(BOUND_MS),
    )
    await t.throwsAsync(failing, { instanceOf: NodeUnavailable })
  }
  t.deepEqual(await heldOf(under, 1), before)
  t.deepEqual(await passesOf(under), { [trader(1)]: 0 })
})

test('stores the pass that began last, whole, in any order of ends', async (t) => {
  const under = await bench(t)
  const [{ id }] = (await under.db.query('select id from wallet limit 1')).rows
  const passes = Array.from({ length: 20 }, (_, index) => ({
    beganMs: 1_000 + ((index * 7) % 20),
    held: Array.from({ length: 1 + ((index * 3) % 5) }, (_, n) => ({
      mint: mint(n),
      quantity: BigInt(1_000 + ((index * 7) % 20)),
      decimals: 6,
    })),
  }))
  const written = await Promise.all(
    passes.map(({ beganMs, held }) => writePass(under.db, id, beganMs, held)),
  )
  t.true(written.some(Boolean))
  const newest = passes.find(({ beganMs }) => beganMs === 1_019)!
  const { rows } = await under.db.query('select mint, quantity from held_token')
  t.deepEqual(
    rows.map((row) => row.quantity),
    newest.held.map(({ quantity }) => `${quantity}`),
  )
  t.false(await writePass(under.db, id, 1_018, []))
  t.false(await writePass(under.db, id, 1_019, []))
})

test('repeats a pass dated ahead of the clock, on request or by schedule, and replaces it by no older one', async (t) => {
  const under = await bench(t)
  await under.run(trader(1))
  const isAhead = async () => (await passesOf(under))[trader(1)]! > Date.now()
  for (const wallet of [trader(1), undefined]) {
    await age(under, Date.now() + 3_600_000)
    await under.run(wallet)
    t.false(await isAhead(), String(wallet))
  }
  t.is(under.node.questions.length, 3 * QUESTIONS)
  // Clocks that are apart by less than a minute are right.
  await age(under, Date.now() + 30_000)
  await under.run(trader(1))
  t.is(under.node.questions.length, 3 * QUESTIONS)
  const [{ wallet_id: id }] = (await under.db.query('select wallet_id from reconciliation')).rows
  t.false(await writePass(under.db, id, Date.now(), []))
})

test('a pass that cannot be written wholly is not written at all', async (t) => {
  const under = await bench(t)
  const [{ id }] = (await under.db.query('select id from wallet limit 1')).rows
  t.true(await writePass(under.db, id, 1_000, [{ mint: mint(1), quantity: 5n, decimals: 6 }]))
  const beyond = [
    { mint: mint(2), quantity: 5n, decimals: 6 },
    { mint: mint(3), quantity: 5n, decimals: 40_000 },
  ]
  await t.throwsAsync(writePass(under.db, id, 2_000, beyond), { code: '22003' })
  const { rows } = await under.db.query(
    'select mint, reconciled_ms from held_token join reconciliation using (wallet_id)',
  )
  t.deepEqual(rows, [{ mint: mint(1), reconciled_ms: 1_000 }])
})

test('by schedule compares wallets that traded since again, and a refused one does not block the others', async (t) => {
  const under = await bench(t)
  for (const n of [1, 2, 3]) await under.run(trader(n))
  t.is(under.node.questions.length, 3 * QUESTIONS)
  // Good still.
  await under.run()
  t.is(under.node.questions.length, 3 * QUESTIONS)
  // Long ago, and no trade since: the newest was in August.
  await age(under, Date.UTC(2026, 8, 1))
  await under.run()
  t.is(under.node.questions.length, 3 * QUESTIONS)
  await age(under, 0)
  under.node.hold(trader(3), [{ mint: mint(1), quantity: 3n, decimals: 6 }])
  const requested = new Set<string>()
  under.node.misbehave((response, { params: [wallet] }) => {
    requested.add(wallet)
    const isRefused = wallet === trader(2)
    const error = { code: -32012, message: 'too many accounts' }
    sendJson(response, isRefused ? { error } : { result: { value: [] } })
  })
  await under.run()
  t.deepEqual(requested, new Set([trader(1), trader(2), trader(3)]))
  const passes = await passesOf(under)
  t.deepEqual(
    [1, 2, 3, 4].map((n) => (passes[trader(n)] ?? -1) > 0),
    [true, false, true, false],
  )
  await under.node.away()
  await age(under, 0)
  await t.throwsAsync(under.run(), { instanceOf: NodeUnavailable })
})
