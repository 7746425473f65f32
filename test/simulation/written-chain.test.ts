/**
 * The simulated market through everything between a node and the tables: encoded, served with faults, fetched by a backfill
 * that is killed again and again, decoded, published, folded. Nothing is missing, doubled or wrong in the end.
 *
 * A larger run, by hand: CHAIN_SWAPS=1000000 CHAIN_FAULTS=200 node test/support/run.ts test/simulation/written-chain.test.ts
 */
import test, { type ExecutionContext } from 'ava'
import { ALL_VENUE_BITS } from '../../domain/coverage.ts'
import type { Event } from '../../domain/events/event.ts'
import type { Swap } from '../../domain/events/swap.ts'
import { VENUES } from '../../domain/venue.ts'
import { listCoverage } from '../../sql/coverage.ts'
import type { Db } from '../../sql/db.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { BLOCK_FAULTS, type Fault } from '../support/chain/rpc-faults.ts'
import { type RpcServer, startRpcServer } from '../support/chain/rpc-server.ts'
import { sizeOfRun, WrittenChain } from '../support/chain/written-chain.ts'
import { finished, runHere, settingsOf, startCommand } from '../support/programs/commands.ts'
import { openPipeline, untilCaughtUp } from '../support/workers/pipeline.ts'

/** Three hours for a million swaps; ava's own limit of a file without progress is off for as long. */
const boundMs = (swaps: number): number => 10 * 60_000 + swaps * 10
const MIB = 1024 * 1024
/** One fault of so many is a kill of the backfill. */
const KILL_EVERY = 10
/** Relative: a price is a double of a root of 64 fraction bits. */
const PRICE_TOLERANCE = 1e-12

type Planned = Fault | 'kill'

/** Faults at slots that are drawn, every kind in turn. */
function planFaults(chain: WrittenChain, count: number, seed: number): Map<number, Planned> {
  const prng = new Prng([seed, 99])
  const plan = new Map<number, Planned>()
  while (plan.size < count) {
    const { slot } = prng.pick(chain.slots)
    if (plan.has(slot)) continue
    const fault = BLOCK_FAULTS[plan.size % BLOCK_FAULTS.length] as Fault
    plan.set(slot, plan.size % KILL_EVERY === KILL_EVERY - 1 ? 'kill' : fault)
  }
  return plan
}

/** Runs the command, again after each kill, until it ends by itself. Result: kills. */
async function backfill(
  t: ExecutionContext,
  server: RpcServer,
  plan: ReadonlyMap<number, Planned>,
  settings: Record<string, string>,
): Promise<number> {
  const { from, to } = server.chain
  const argv = ['backfill', '--from', String(from), '--to', String(to), '--rate', '10000']
  const killed = new Set<number>()
  for (;;) {
    const child = startCommand(argv, settings)
    let isKilled = false
    server.disturb = ({ method, params, attempt }) => {
      const slot = Number(params[0])
      const planned = method === 'getBlock' ? plan.get(slot) : undefined
      if (planned === 'kill' && !killed.has(slot)) {
        killed.add(slot)
        isKilled = true
        child.kill('SIGKILL')
      }
      return planned === undefined || planned === 'kill' || attempt > 0 ? undefined : planned
    }
    const { code, stdout, stderr } = await finished(child)
    if (isKilled) continue
    t.is(code, 0, stderr)
    t.log(stdout.trim())
    return killed.size
  }
}

const COLUMNS = {
  slot: 'slot',
  block_tx_index: 'blockTxIndex',
  ix_index: 'ixIndex',
  dex: 'dex',
  timestamp_ms: 'timestamp',
  sol_amount: 'solAmount',
  token_amount: 'tokenAmount',
  fee: 'fee',
  fee_bps: 'feeBps',
  creator_fee: 'creatorFee',
  creator_fee_bps: 'creatorFeeBps',
  virtual_sol_reserves: 'virtualSolReserves',
  virtual_token_reserves: 'virtualTokenReserves',
  real_sol_reserves: 'realSolReserves',
  real_token_reserves: 'realTokenReserves',
  transfer_fee_in: 'transferFeeIn',
  transfer_fee_out: 'transferFeeOut',
  cashback: 'cashback',
  cashback_bps: 'cashbackBps',
  time_source: 'timeSource',
  agent_trade: 'agentTrade',
  quote_decimals: 'quoteDecimals',
  is_buy: 'isBuy',
  signature: 'signature',
  pair_address: 'pairAddress',
  token_address: 'tokenAddress',
  wallet_address: 'user',
} as const satisfies Record<string, keyof Swap>

type Row = Record<keyof typeof COLUMNS | 'price_before' | 'price_after', unknown>

const SELECT = `
  select swap.*, pool.pair_address, token.address as token_address,
    wallet.address as wallet_address
  from swap
  join pool on pool.id = swap.pool_id
  join token on token.id = pool.token_id
  join wallet on wallet.id = swap.wallet_id
  where swap.slot between $1 and $2`

const keyOf = (signature: unknown, dex: unknown, ixIndex: unknown): string =>
  `${signature} ${dex} ${ixIndex}`

const isNear = (one: unknown, other: unknown): boolean =>
  one === (other ?? null) || Math.abs(Number(one) / Number(other) - 1) < PRICE_TOLERANCE

function wrongFields(row: Row, swap: Swap): string[] {
  const wrong = Object.entries(COLUMNS)
    .filter(([column, field]) => String(row[column as keyof Row]) !== String(swap[field]))
    .map(([column]) => column)
  if (!isNear(row.price_before, swap.priceBefore)) wrong.push('price_before')
  if (!isNear(row.price_after, swap.priceAfter)) wrong.push('price_after')
  return wrong
}

type Difference = { missing: number; doubled: number; unknown: number; wrong: string[] }

/** Compares every stored swap with what the chain states, slots at a time. */
async function compareSwaps(db: Db, chain: WrittenChain): Promise<Difference> {
  const difference: Difference = { missing: 0, doubled: 0, unknown: 0, wrong: [] }
  for (const part of partsOf(chain)) {
    const [first, last] = [part[0]?.slot, part.at(-1)?.slot]
    const { rows } = await db.query<Row>(SELECT, [first, last])
    const stored = Map.groupBy(rows, (row) => keyOf(row.signature, row.dex, row.ix_index))
    for (const { events } of part) {
      for (const event of events) {
        if (event.kind !== 'swap') continue
        const { swap } = event
        const key = keyOf(swap.signature, swap.dex, swap.ixIndex)
        const [row, ...others] = stored.get(key) ?? []
        stored.delete(key)
        difference.doubled += others.length
        if (row === undefined) difference.missing++
        else difference.wrong.push(...wrongFields(row, swap).map((field) => `${key} ${field}`))
      }
    }
    difference.unknown += stored.size
  }
  return difference
}

const PART_SLOTS = 200

function* partsOf(chain: WrittenChain): Generator<{ slot: number; events: Event[] }[]> {
  let part: { slot: number; events: Event[] }[] = []
  for (const each of chain.stated()) {
    part.push(each)
    if (part.length < PART_SLOTS) continue
    yield part
    part = []
  }
  yield part
}

test('loses, doubles and changes no swap between a node with faults and the tables', async (t) => {
  const size = sizeOfRun()
  t.timeout(boundMs(size.swaps))
  t.log(`again: CHAIN_SEED=${size.seed}`)
  const chain = new WrittenChain(size)
  const plan = planFaults(chain, size.faults, size.seed)
  const server = await startRpcServer(chain)
  t.teardown(() => server.stop())
  const bytes = Math.ceil(size.swaps / 1_000) * MIB + 64 * MIB
  const pipeline = await openPipeline(t, { swapMaxBytes: bytes, feedMaxBytes: bytes })
  const settings = { ...settingsOf(pipeline), SOURCE_RPC_URL: server.url }
  const worker = startCommand(['worker'], settings)
  worker.stdout?.resume()
  worker.stderr?.resume()
  t.teardown(() => worker.kill('SIGKILL'))

  const startedAt = performance.now()
  const kills = await backfill(t, server, plan, settings)
  const faults = [...server.faults.values()].reduce((sum, count) => sum + count, kills)
  t.is(faults, size.faults)
  t.log(`${faults} faults, ${kills} of them kills: ${JSON.stringify([...server.faults])}`)
  await untilCaughtUp(pipeline, boundMs(size.swaps))
  t.log(`${size.swaps} swaps stored after ${Math.round(performance.now() - startedAt)} ms`)

  const { missing, doubled, unknown, wrong } = await compareSwaps(pipeline.db, chain)
  t.deepEqual({ missing, doubled, unknown, wrong: wrong.length }, NOTHING, wrong[0])
  const coverage = await listCoverage(pipeline.db)
  t.deepEqual(
    coverage.map(({ from, to, venues, swaps }) => ({ from, to, venues, swaps })),
    [{ from: chain.from, to: chain.to, venues: ALL_VENUE_BITS, swaps: size.swaps }],
  )
  const { rows } = await pipeline.db.query<{ dex: number }>('select distinct dex from swap')
  t.is(rows.length, VENUES.filter(({ simulated }) => simulated !== undefined).length)
  const verified = await runHere(['verify'], settings)
  t.is(verified.code, 0, verified.stdout)
  t.regex(verified.stdout, /\nclean: every table is the fold of its swaps\n$/)
})

const NOTHING = { missing: 0, doubled: 0, unknown: 0, wrong: 0 }
