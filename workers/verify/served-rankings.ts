/**
 * Compares the rankings that readers get with rankings computed afresh from the tables, token by token: the memory of the
 * ranking worker has no part in these.
 *
 * The worker refreshes its snapshot within two seconds, after the swaps and their holders. So the comparison is repeated
 * until a snapshot of the database holds a refresh of all that is stored; until then only tokens that did not trade
 * lately are compared. A row is reported that differs in each of the comparisons: a refresh that was late is no difference.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { FORMULA_VERSION } from '../../domain/ranking.ts'
import { DAY_MINUTES, MINUTE_MS } from '../../domain/time/time-bucket.ts'
import { type Connection, type Db, onConnection, pipelinedBeside } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import { inSnapshot } from '../../sql/snapshot.ts'
import { readHolderStats } from '../ranking/holders/holder-store.ts'
import { emptySeries, listActiveTokens, readTokens } from '../ranking/ranked/index-store.ts'
import { readFrom } from '../ranking/series/series-store.ts'
import { dropExpired, SERIES_MINUTES } from '../ranking/series/token-series.ts'
import { metricsOf } from '../ranking/series/window-metrics.ts'
import { Rankings } from '../ranking/snapshot/snapshots.ts'
import { ComputedPages, type Page, StoredPages } from './ranking-pages.ts'

/** `tokens`: places of tokens on pages that were compared; 0 where no worker maintains a snapshot. */
export type RankingReport = { tokens: number; differences: string[] }

type ServedRow = { newest_ms: number; end_ms: number; is_settled: boolean }
type Difference = { page: string; text: string }
type Differences = ReadonlyMap<string, Difference>
/** Differences by the page, or by the page and the token; absent where the windows end elsewhere than those served. */
type Compared = { tokens: number; isSettled: boolean; differences: Differences | undefined }

const readServed = query<ServedRow>('verify/read_served')
const listChanges = query<{ token_id: number }>('ranking/list_token_changes')

/** How long a refresh of all that is stored is waited for; the longest pause between two is 10 s. */
const WAIT_MS = 15_000
const POLL_MS = 500
/** Tokens whose minutes are in memory at once. */
const TOKENS_A_PAGE = 200
/** A token that traded so shortly before the snapshot's end may trade after it. */
const QUIET_MS = MINUTE_MS
const CHANGES_MAX = 1_000_000

export async function verifyRankings(db: Db): Promise<RankingReport> {
  let persisting: Differences | undefined
  let tokens = 0
  for (const endsAt = performance.now() + WAIT_MS; ; await pause(POLL_MS)) {
    const compared = await compareOnce(db)
    if (compared?.differences !== undefined) {
      tokens = compared.tokens
      persisting = bothOf(persisting, compared.differences)
    }
    const isDone = compared?.isSettled === true && persisting?.size === 0
    if (compared === undefined || isDone || performance.now() >= endsAt) break
  }
  return { tokens, differences: firstOfPages(persisting ?? new Map()) }
}

/** One of each page, because a token is on many. */
function firstOfPages(differences: Differences): string[] {
  const pages = Map.groupBy(differences.values(), ({ page }) => page)
  return Array.from(pages.values(), ([first]) => first!.text)
}

function bothOf(former: Differences | undefined, present: Differences): Differences {
  return new Map([...present].filter(([key]) => former === undefined || former.has(key)))
}

/** Undefined where no worker maintains a snapshot. */
async function compareOnce(db: Db): Promise<Compared | undefined> {
  const beside = pipelinedBeside(db)
  try {
    return await onConnection(beside, (connection) =>
      inSnapshot(connection, async () => {
        const [served] = await readServed(connection, [FORMULA_VERSION])
        return served === undefined ? undefined : await compare(connection, served)
      }),
    )
  } finally {
    await beside.end()
  }
}

async function compare(connection: Connection, served: ServedRow): Promise<Compared> {
  const { newest_ms, end_ms, is_settled: isSettled } = served
  const differences = new Map<string, Difference>()
  const endMinute = Math.floor(end_ms / MINUTE_MS)
  if (Math.floor(newest_ms / MINUTE_MS) !== endMinute) {
    return { tokens: 0, isSettled, differences: undefined }
  }
  const stored = await StoredPages.read(connection)
  const computed = new ComputedPages((await rank(connection, endMinute)).lists(() => []))
  const moving = isSettled ? undefined : await movingTokens(connection, newest_ms - QUIET_MS)
  let tokens = 0
  for (const page of new Set([...stored.keys(), ...computed.keys()])) {
    const [left, right] = [stored.page(page), computed.page(page)]
    const note = (key: string, found: string, expected: string): void => {
      if (found === expected) return
      differences.set(key, { page, text: `${key}: served ${found}, folded ${expected}` })
    }
    if (isSettled) note(page, textOf(left), textOf(right))
    for (const [tokenId, figures] of left?.figures ?? []) {
      const folded = right?.figures.get(tokenId)
      if (folded === undefined || moving?.has(tokenId)) continue
      tokens += 1
      note(`${page}, ${left!.mints.get(tokenId)}`, figures, folded)
    }
  }
  return { tokens, isSettled, differences }
}

const textOf = (page: Page | undefined): string =>
  page === undefined ? 'absent' : `${page.total}: ${[...page.mints.values()].join(' ')}`

/** All rankings, of which those are retained that are served. */
async function rank(connection: Connection, endMinute: number): Promise<Rankings> {
  const rankings = new Rankings()
  const active = await listActiveTokens(connection, [(endMinute - DAY_MINUTES) * MINUTE_MS])
  const ids = active.map((row) => row.token_id)
  for (let from = 0; from < ids.length; from += TOKENS_A_PAGE) {
    const rows = await readTokens(connection, ids.slice(from, from + TOKENS_A_PAGE))
    const tokens = rows.map((row) => emptySeries(row))
    const own = tokens.map(({ tokenId }) => tokenId)
    const minute = endMinute - SERIES_MINUTES
    await readFrom(connection, tokens, { from: minute, before: endMinute, end: endMinute })
    const holdings = await readHolderStats(connection, own, endMinute - DAY_MINUTES)
    for (const token of tokens) {
      token.holderStats = holdings.get(token.tokenId)?.holderStats
      if (!dropExpired(token, endMinute)) continue
      const ranked = { tokenId: token.tokenId, mint: token.mint, sector: null, figures: [] }
      rankings.put(ranked, token.sector, metricsOf(token, endMinute))
    }
  }
  return rankings
}

/** Tokens that the next refresh may change. */
async function movingTokens(connection: Connection, fromMs: number): Promise<Set<number>> {
  const active = await listActiveTokens(connection, [fromMs])
  const changed = await listChanges(connection, [CHANGES_MAX])
  return new Set([...active, ...changed].map((row) => row.token_id))
}
