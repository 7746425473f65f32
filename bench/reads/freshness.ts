/**
 * How old a ranking is: a steady load over many active tokens through a worker process for each actor, and
 * now and then the first swap of a new token. From its hand-over to the publisher until GET /trending lists the token;
 * the list is requested without a pause, and not cached.
 *
 * Half of the load goes to a thousand tokens, the other half to any.
 */
import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Event } from '../../domain/events/event.ts'
import { encodeBase58 } from '../../domain/numbers/base58.ts'
import { DAY_MS } from '../../domain/time/time-bucket.ts'
import type { DexId } from '../../domain/venue.ts'
import { VENUES } from '../../domain/venue.ts'
import type { Db } from '../../sql/db.ts'
import { publishEvents } from '../../streams/ingest/batcher.ts'
import { createPublisher } from '../../streams/ingest/publisher.ts'
import { Prng } from '../../streams/simulator/prng.ts'
import { fillRanked, NEWEST_MS } from '../market/ranked-tokens.ts'
import { startMeter } from '../measure/cpu.ts'
import { quantile, type Sample, sharedClockMs, WrongResult } from '../measure/sample.ts'
import { type BenchContext, type Measurement, STEADY, SWAPS_PER_SECOND } from '../measurement.ts'
import { programLog } from '../programs/program.ts'
import { beginActors, startWorkerProgram } from '../publisher.ts'
import { type RestClient, startRest } from '../rest-client.ts'
import type { Stage } from '../stage.ts'
import { sampleSwap, signatureOf } from '../test-support.ts'

const TICK_MS = 2
const WARM_UP_SECONDS = 5
const PROBE_EVERY_MS = 200
const PROBES_MAX = 200
const HOT_TOKENS = 1_000
const WALLETS = 20_000
const SLOT_MS = 400
const FIRST_SLOT = 10_000_000
const RANKING_BOUND_MS = 600_000
const PROBE_BOUND_MS = 60_000
const ACTORS = ['pool', 'ledger', 'ranking']
const FIRST_SWAPS = 200
/** Apart from the swaps of the load. */
const FIRST_NUMBER = 100_000_000
const SECTOR = 'probe'
const UNCACHED_PATH = `/trending?window=24h&limit=${PROBES_MAX}&sector=${SECTOR}`

/** Random by hash: addresses that differ only in their ends are slow to compare. */
const named = (of: string): string => encodeBase58(hash('sha256', of, 'buffer'))
const mint = (n: number): string => named(`mint ${n}`)
const pair = (n: number): string => named(`pair ${n}`)
const WALLET_ADDRESSES = Array.from({ length: WALLETS }, (_, n) => named(`wallet ${n}`))

type Pool = { mint: string; pair: string; dex: DexId }
const SOME_POOL: Pool = { mint: mint(PROBES_MAX), pair: pair(PROBES_MAX), dex: VENUES[0]!.dex }

export function freshnessOf(tokens: number): Measurement {
  const of = `${STEADY}, ${tokens.toLocaleString('en-US')} active tokens`
  const figureOf = (name: string): string => `published -> in /trending at ${of}, ${name}`
  const uncachedFigure = `GET /trending of one sector at ${of}, p99`
  const load = `steady load with ledger and ranking at ${of}`
  return {
    name: 'freshness',
    figures: [
      { figure: figureOf('p50'), unit: 'ms' },
      { figure: figureOf('p99'), unit: 'ms', goal: '<= 2,000' },
      { figure: uncachedFigure, unit: 'ms', digits: 1, goal: '<= 40' },
      { figure: load, unit: 'swaps/s' },
    ],
    round: (context) =>
      context.stages.use(async (stage) => {
        await beginActors(stage, ACTORS, new Market([SOME_POOL], 0).first())
        await fillRanked(stage.db, tokens)
        // The next refresh is the first that includes these.
        await stage.db.query('delete from ranking_roll')
        const pools = await listPools(stage.db)
        await stage.db.query(
          'insert into token (address, sector) select address, $2 from unnest($1::text[]) as address',
          [Array.from({ length: PROBES_MAX }, (_, n) => mint(n)), SECTOR],
        )
        const { fresh, uncached, rate, cpu } = await play(context, stage, pools)
        return [
          { figure: figureOf('p50'), value: quantile(fresh, 0.5) },
          { figure: figureOf('p99'), value: quantile(fresh, 0.99) },
          { figure: uncachedFigure, value: quantile(uncached, 0.99) },
          { figure: load, value: rate, cpu },
        ]
      }),
  }
}

async function listPools(db: Db): Promise<Pool[]> {
  const { rows } = await db.query<Pool>(
    `select token.address as mint, pair_address as pair, dex
     from pool join token on token.id = token_id order by pool.id`,
  )
  return rows
}

type Played = { fresh: number[]; uncached: number[]; rate: number; cpu: NonNullable<Sample['cpu']> }

async function play(
  { stack, workerFlags, seconds, say }: BenchContext,
  stage: Stage,
  pools: readonly Pool[],
): Promise<Played> {
  const names = ACTORS
  const workers = await Promise.all(
    names.map((name) => startWorkerProgram(stage, workerFlags, [name])),
  )
  const rest = await startRest(stage, workerFlags)
  try {
    const fromMs = sharedClockMs()
    await untilRefreshed(stage.db)
    say(`rolled first in ${((sharedClockMs() - fromMs) / 1000).toFixed(1)} s`)
    const meter = startMeter({
      ...Object.fromEntries(names.map((name, index) => [name, workers[index]!.pid])),
      PostgreSQL: stack.servers.postgres.pid,
      NATS: stack.servers.nats.pid,
      API: rest.pid,
    })
    const market = new Market(pools, (WARM_UP_SECONDS + seconds) * 1000)
    const publisher = createPublisher(stage.jetStream, stage.topology, { log: programLog })
    const { publish, moreLingerMs } = publisher
    const { prefix, laneCount } = stage.topology
    const deps = { publish, moreLingerMs, prefix, laneCount }
    const watching = watch(rest, market)
    const watched = watching.catch((error) => market.end(error))
    await publishEvents(market.events(), deps)
    const rate = market.swaps / market.tookSeconds
    await watched
    const cpu = meter.perSwap(market.swaps)
    return { ...(await watching), rate, cpu }
  } finally {
    await rest.stop()
    await Promise.all(workers.map((worker) => worker.stop()))
  }
}

async function untilRefreshed(db: Db): Promise<void> {
  for (const boundMs = sharedClockMs() + RANKING_BOUND_MS; ; await pause(100)) {
    const { rowCount } = await db.query('select from ranking_roll')
    if (rowCount === 1) return
    if (sharedClockMs() > boundMs) throw new WrongResult('the ranking never rolled')
  }
}

/** Sends requests until every token with a published swap is listed. */
async function watch(
  rest: RestClient,
  market: Market,
): Promise<Pick<Played, 'fresh' | 'uncached'>> {
  const fresh: number[] = []
  const uncached: number[] = []
  while (!market.isOver || market.awaited.size > 0) {
    const fromMs = sharedClockMs()
    const { status, text } = await rest.read(UNCACHED_PATH)
    const nowMs = sharedClockMs()
    if (status !== 200) throw new WrongResult(`status ${status} of ${UNCACHED_PATH}`)
    uncached.push(nowMs - fromMs)
    const { results } = JSON.parse(text) as { results: { mint: string }[] }
    for (const { mint: listed } of results) {
      const handedMs = market.awaited.get(listed)
      if (handedMs === undefined) continue
      fresh.push(nowMs - handedMs)
      market.awaited.delete(listed)
    }
    for (const handedMs of market.awaited.values()) {
      if (nowMs - handedMs > PROBE_BOUND_MS) throw new WrongResult('a token was never listed')
    }
    await pause(TICK_MS)
  }
  return { fresh, uncached }
}

/** Yields the events that are due, every tick, on the clock of this machine. */
class Market {
  /** Mints that were handed over and are not listed yet, with the moment. */
  readonly awaited = new Map<string, number>()
  isOver = false
  swaps = 0
  tookSeconds = 0
  private readonly pools: readonly Pool[]
  private readonly forMs: number
  private readonly prng = new Prng([4, 7])
  private error: unknown

  constructor(pools: readonly Pool[], forMs: number) {
    this.pools = pools
    this.forMs = forMs
  }

  /** Swaps by which every lane begins. */
  first(): Event[] {
    return Array.from({ length: FIRST_SWAPS }, (_, n) => {
      this.swaps = FIRST_NUMBER + n
      return this.swapOf({ ...SOME_POOL, pair: pair(PROBES_MAX + n) }, n - DAY_MS)
    })
  }

  end(error: unknown): void {
    this.error = error
  }

  async *events(): AsyncGenerator<readonly Event[]> {
    const fromMs = sharedClockMs()
    let probes = 0
    for (let passedMs = 0; passedMs < this.forMs; passedMs = sharedClockMs() - fromMs) {
      if (this.error !== undefined) break
      const run: Event[] = []
      for (const due = (passedMs * SWAPS_PER_SECOND) / 1000; this.swaps < due; this.swaps++) {
        run.push(this.swapOf(this.anyPool(), passedMs))
      }
      const probesDue = (passedMs - WARM_UP_SECONDS * 1000) / PROBE_EVERY_MS
      for (; probes < Math.min(PROBES_MAX, probesDue); probes++, this.swaps++) {
        run.push(
          this.swapOf({ mint: mint(probes), pair: pair(probes), dex: VENUES[0]!.dex }, passedMs),
        )
        this.awaited.set(mint(probes), sharedClockMs())
      }
      if (run.length > 0) yield run
      await pause(TICK_MS)
    }
    this.tookSeconds = (sharedClockMs() - fromMs) / 1000
    this.isOver = true
  }

  private anyPool(): Pool {
    const among = this.prng.below(2) === 0 ? HOT_TOKENS : this.pools.length
    return this.pools[this.prng.below(Math.min(among, this.pools.length))]!
  }

  private swapOf({ mint: tokenAddress, pair: pairAddress, dex }: Pool, passedMs: number): Event {
    const swap = sampleSwap({
      signature: signatureOf(this.swaps + 1),
      slot: FIRST_SLOT + Math.floor(passedMs / SLOT_MS),
      timestamp: Math.floor(NEWEST_MS + passedMs),
      blockTxIndex: this.swaps,
      tokenAddress,
      pairAddress,
      dex,
      user: WALLET_ADDRESSES[this.prng.below(WALLETS)]!,
      isBuy: this.prng.below(2) === 0,
      solAmount: 20_000 + this.prng.below(1_000_000_000),
      tokenAmount: 30_000 + this.prng.below(1_000_000_000),
    })
    return { kind: 'swap', swap }
  }
}
