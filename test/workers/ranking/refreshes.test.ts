/**
 * A ranking index that is refreshed equals a new one, at random instants: of late swaps older than any window, swaps
 * ahead of all others, hours and days without a trade, sets of buyers that are no longer exact, tokens whose sector or
 * creator is another.
 */
import test from 'ava'
import type { Swap } from '../../../domain/events/swap.ts'
import type { DexId } from '../../../domain/venue.ts'
import type { Db } from '../../../sql/db.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { RankingIndex } from '../../../workers/ranking/ranked/ranking-index.ts'
import { moverFigures, WIDTHS } from '../../../workers/ranking/series/window-metrics.ts'
import type { RankedToken, RankingSnapshot } from '../../../workers/ranking/snapshot/snapshots.ts'
import { rebuildLedger } from '../../../workers/rebuild/ledger.ts'
import { SILENT } from '../../support/api/api-under-test.ts'
import { recountAll } from '../../support/api/insert-ranking.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { mint, pair, sampleSwap, signatureOf, trader } from '../../support/market/sample-swap.ts'
import { testDatabase } from '../../support/servers/database.ts'

const FROM_MS = Date.UTC(2026, 6, 20, 13, 7)
const DAY_MS = 86_400_000
const STEPS = 40
const TOKENS = 9
const POOLS = 20
/** More than are counted exactly, of one token within a minute or two. */
const CROWD = 1_100
const SECTORS = [null, 'a', 'b']

class Market {
  readonly prng: Prng
  private clockMs = FROM_MS
  private count = 0

  constructor(prng: Prng) {
    this.prng = prng
  }

  /** The next swaps; `hasCrowd`: very many wallets buy a token, perhaps some hours ago. */
  next(hasCrowd: boolean): Swap[] {
    const { prng } = this
    // Mostly a minute or two: where more have passed all tokens are recomputed.
    const pauses = [600_000, 7_200_000, 30 * 3_600_000]
    this.clockMs += prng.below(prng.chance(0.9) ? 120_000 : pauses[prng.below(pauses.length)]!)
    const swaps = Array.from({ length: 1 + prng.below(6) }, () => this.draw(this.timeMs()))
    if (!hasCrowd) return swaps
    const fromMs = this.clockMs - prng.below(2) * prng.below(5 * 3_600_000)
    const pool = prng.below(POOLS)
    return [
      ...swaps,
      ...Array.from({ length: CROWD }, (_, n) => {
        const user = trader(1_000 + this.count)
        return { ...this.draw(fromMs + 60 * n, pool), user, isBuy: true }
      }),
    ]
  }

  private timeMs(): number {
    const { prng } = this
    if (prng.chance(0.15)) return this.clockMs - prng.below(3 * DAY_MS)
    return this.clockMs + (prng.chance(0.05) ? prng.below(540_000) : prng.below(1_000))
  }

  private draw(timestamp: number, pool = this.prng.below(POOLS)): Swap {
    const { prng } = this
    const n = this.count++
    return sampleSwap({
      ...{ signature: signatureOf(n), slot: 1_000 + n, timestamp },
      ...{ tokenAddress: mint(pool % TOKENS), pairAddress: pair(pool) },
      dex: (1 + (pool % 10)) as DexId,
      user: trader(prng.below(30)),
      isBuy: prng.chance(0.6),
      solAmount: prng.chance(0.1) ? 5 : 10_000 + prng.below(2_000_000_000),
      tokenAmount: 10_000 + prng.below(1_000_000_000),
      agentTrade: prng.chance(0.05) ? 2 : 0,
    })
  }
}

/** Stores what the actors leave, without the word that positions were rebuilt. */
async function store(db: Db, swaps: readonly Swap[]): Promise<void> {
  await insertSwaps(db, swaps, { hasPrices: true })
  await recountAll(db)
  const reported = await db.query<{ id: number }>(
    'select coalesce(max(id), 0) as id from token_change',
  )
  await rebuildLedger(db, { laneCount: 1, log: SILENT })
  await db.query('delete from token_change where id > $1', [reported.rows[0]!.id])
}

async function report(db: Db, rankingIndex: RankingIndex, swaps: readonly Swap[]): Promise<void> {
  const [tokens, wallets] = [await idsOf(db, 'token'), await idsOf(db, 'wallet')]
  for (const { tokenAddress, timestamp, user } of swaps) {
    rankingIndex.note(tokens.get(tokenAddress)!, timestamp, wallets.get(user)!, 0)
  }
}

async function idsOf(db: Db, table: 'token' | 'wallet'): Promise<Map<string, number>> {
  const { rows } = await db.query<{ name: string; id: number }>(
    `select address as name, id from ${table}`,
  )
  return new Map(rows.map(({ name, id }) => [name, id]))
}

/** By the key of a snapshot: its tokens with their shown figures. */
function textsOf({ trending, movers }: RankingSnapshot): Record<string, string> {
  return Object.fromEntries([
    ...trending.map((page) => [
      `${page.minutes} ${page.hasRugged} ${page.sector}`,
      JSON.stringify([page.total, page.tokens.map(shownTrend)]),
    ]),
    ...movers.map(({ minutes, dex, isGainer, tokens }) => {
      const index = WIDTHS.indexOf(minutes)
      const shown = tokens.map(({ mint, figures }) => [mint, moverFigures(figures[index]!, dex)])
      return [`${minutes} ${dex} ${isGainer}`, JSON.stringify(shown)]
    }),
  ])
}

const shownTrend = ({ mint, figures }: RankedToken) => [
  mint,
  figures.map((each) => each && [each.score, String(each.volume), each.changePct, each.parts]),
]

for (const seed of [1, 2]) {
  test.serial(`refreshes at random instants of market ${seed} equal new indexes`, async (t) => {
    const { db, drop } = await testDatabase()
    t.teardown(drop)
    const prng = new Prng([seed, 78])
    const market = new Market(prng)
    const rankingIndex = new RankingIndex(db, async () => [])
    let refreshes = 0
    for (let step = 0; step < STEPS; step++) {
      const swaps = market.next(step % 19 === 5)
      await store(db, swaps)
      await report(db, rankingIndex, swaps)
      if (prng.chance(0.2)) {
        const creator = prng.chance(0.7) ? trader(prng.below(34)) : null
        const token = mint(prng.below(TOKENS))
        await db.query('update token set sector = $1, creator = $2 where address = $3', [
          SECTORS[prng.below(SECTORS.length)],
          creator,
          token,
        ])
      }
      // Changes of several before a refresh are combined.
      if (prng.chance(0.25)) continue
      const shown = await rankingIndex.refresh()
      await db.query('delete from token_change')
      const anew = await new RankingIndex(db, async () => []).refresh()
      t.deepEqual(textsOf(shown!), textsOf(anew!), `step ${step}`)
      refreshes += 1
    }
    t.true(refreshes > STEPS / 2)
  })
}
