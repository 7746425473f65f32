/**
 * Profiles wallets: computes the tags of each, by mint, from the present tables.
 *
 * Law: a profile is written whole, and of two the one that began later wins. A profile that is still fresh is not
 * computed again, so two requests cost one; computing it again from the same tables gives the same tags.
 */

import type { Int64 } from '../../domain/amount.ts'
import type { SwapOrderKey } from '../../domain/events/swap.ts'
import { greatestOf, leastOf } from '../../domain/numbers/extremes.ts'
import { latestMs } from '../../domain/time/time.ts'
import { FOUR_HOURS_MS, WEEK_MS } from '../../domain/time/time-bucket.ts'
import { windowHours } from '../../domain/time/wallet-window.ts'
import {
  areTagsDue,
  type Creation,
  insiderScore,
  type MintWindow,
  type ScoredTag,
  smartMoneyTags,
  sniperScore,
  type Tag,
  THRESHOLDS,
  tagBits,
  tagsGoodSince,
  whaleScore,
} from '../../domain/wallet/wallet-tag.ts'
import { storedSince } from '../../history/sealed/find/stored.ts'
import { listDueWallets } from '../../history/swaps/newest.ts'
import {
  type EarlyBuyRow,
  listEarlyBuys,
  listSlotBuys,
  type SlotBuyRow,
} from '../../history/swaps/tokens.ts'
import { type Db, isRetryable, sqlCode } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { CHUNKS_MAX } from '../../sql/plans.ts'
import { query } from '../../sql/query.ts'
import type { JobFunction } from './job-function.ts'

type ProfileRow = {
  id: number
  computed_ms: number | null
  newest_ms: number | null
  has_traded: boolean
}
type BirthRow = { token_id: number; born_ms: number }
type CreationRow = { token_id: number } & Creation
type ValueRow = {
  token_id: number
  largest_buy_lamports: Int64
  balance: string
  /** Both are null without a priced trade. */
  decimals: number | null
  price: number | null
}
type WindowRow = {
  token_id: number
  mint: string
  covered_sell_count: number
  win_count: number
  realized_lamports: string
  is_closed: boolean
}

const findProfile = query<ProfileRow>('tags/find_profile')
const chooseMode = query('plans/choose_mode')
const beginProfile = query('tags/begin_profile')
const listBirths = query<BirthRow>('tags/list_births')
const findSlotRange = query<{ low_slot: number; high_slot: number }>('swaps/find_slot_range')
const listEarlyTags = query<{ token_id: number; tag: Tag; score: number }>('tags/list_early_tags')
const listCreations = query<CreationRow>('tags/list_creations')
const listValues = query<ValueRow>('tags/list_values')
const sumWindow = query<WindowRow>('tags/sum_window')
const mergeProfile = query('tags/merge_profile')

const STATEMENT_CANCELLED = '57014'
/** Wallets of one scheduled run; the next run continues with the remaining ones. */
const RUN_WALLETS_MAX = 2_000

/** One wallet on request; by schedule the active ones. */
export const walletTags: JobFunction<'wallet-tags'> = async ({ wallet }, { db, log }, signal) => {
  if (wallet !== undefined) return await profile(db, wallet)
  const nowMs = Date.now()
  const due = await listDueWallets(db, {
    taggedMs: tagsGoodSince(nowMs),
    rows: RUN_WALLETS_MAX,
    latestMs: latestMs(nowMs),
  })
  for (const { wallet: each } of due) {
    signal.throwIfAborted()
    try {
      await profile(db, each)
    } catch (error) {
      // An error that one wallet may cause, a statement timeout included, does not hold up the others: the wallet
      // would be first in every run. An unreachable database ends the run.
      if (isRetryable(error) && sqlCode(error) !== STATEMENT_CANCELLED) throw error
      log.warn({ err: error, wallet: each }, 'failed to profile wallet')
    }
  }
}

async function profile(db: Db, wallet: string): Promise<void> {
  const beganMs = Date.now()
  const [known] = await findProfile(db, [wallet])
  if (known?.has_traded !== true || !areTagsDue(known.computed_ms, beganMs)) return
  const connection = await db.connect()
  let isWhole = false
  try {
    await connection.query('begin')
    await chooseMode(connection, [CHUNKS_MAX])
    await beginProfile(connection, [known.id])
    const tags = await tagsOf(connection, wallet, known)
    await mergeProfile(connection, [
      known.id,
      beganMs,
      tags.map(({ tokenId }) => tokenId),
      tags.map(({ tag }) => tag),
      tags.map(({ score }) => score),
      tagBits(tags.map(({ tag }) => tag)),
      latestMs(Date.now()),
    ])
    await connection.query('commit')
    isWhole = true
  } finally {
    // Closing the connection rolls back an uncommitted transaction.
    connection.release(!isWhole)
  }
}

async function tagsOf(db: Queryable, wallet: string, { id, newest_ms }: ProfileRow) {
  const { firstMs, lastMs } = windowHours(THRESHOLDS.smartMoney.window, newest_ms ?? 0)
  const { buyLamports, openLamports } = THRESHOLDS.whale
  return [
    ...(await earlyTags(db, id, wallet)),
    ...whaleTags(await listValues(db, [id, buyLamports, Number(openLamports)])),
    ...smartMoneyTags((await sumWindow(db, [id, firstMs, lastMs])).map(windowOf)),
  ]
}

/** Mints of a statement: a wallet that buys every new mint has a hundred thousand in a week. */
const MINTS_MAX = 1_000

function* pagesOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += MINTS_MAX) yield rows.slice(at, at + MINTS_MAX)
}

/** Snipers and insiders: wallets that traded when a mint began. */
async function earlyTags(db: Queryable, walletId: number, wallet: string): Promise<ScoredTag[]> {
  const all = await listBirths(db, [walletId])
  const sinceMs = (await storedSince(db))?.ms ?? 0
  const births = all.filter(({ born_ms }) => born_ms >= sinceMs)
  const creations = await creationsOf(db, births, wallet)
  // Tags of mints whose first swaps were dropped stay.
  const old = all.filter(({ born_ms }) => born_ms < sinceMs).map(({ token_id }) => token_id)
  const stored = old.length === 0 ? [] : await listEarlyTags(db, [walletId, old])
  const tags: ScoredTag[] = stored
    .filter(({ token_id }) => creations.get(token_id)?.creator !== wallet)
    .map(({ token_id: tokenId, tag, score }) => ({ tokenId, tag, score }))
  // Mints of the same week are read together: few statements, and few chunks in each.
  const weeks = Map.groupBy(births, ({ born_ms }) => Math.floor(born_ms / WEEK_MS))
  for (const mints of [...weeks.values()].flatMap((week) => [...pagesOf(week)])) {
    const bornMs = mints.map(({ born_ms }) => born_ms)
    // The widest candles give a mint's beginning to within four hours.
    const lastMs = greatestOf(bornMs) + FOUR_HOURS_MS - 1
    const [slots] = await findSlotRange(db, [leastOf(bornMs), lastMs])
    if (slots === undefined) continue
    const ids = mints.map(({ token_id }) => token_id)
    const { slotsMax } = THRESHOLDS.sniper
    const range = { low: slots.low_slot, high: slots.high_slot, slotsMax }
    const buys = await listEarlyBuys(db, walletId, ids, range)
    for (const { token_id, buy_slot, mint_slot } of buys) {
      tags.push(...scored(token_id, 'sniper', sniperScore(buy_slot, mint_slot)))
    }
    tags.push(...(await boughtInside(db, wallet, buys, creations)))
  }
  for (const [tokenId, creation] of creations) {
    if (creation.creator === wallet)
      tags.push(...scored(tokenId, 'insider', insiderScore(wallet, creation, [])))
  }
  return tags
}

/** Creations of these mints, and all of the wallet. */
async function creationsOf(
  db: Queryable,
  births: readonly BirthRow[],
  wallet: string,
): Promise<ReadonlyMap<number, Creation>> {
  const rows = [await listCreations(db, [[], wallet])]
  for (const mints of pagesOf(births)) {
    rows.push(await listCreations(db, [mints.map(({ token_id }) => token_id), null]))
  }
  return new Map(rows.flat().map(({ token_id, ...creation }) => [token_id, creation]))
}

/** Insiders by their buys in the creation's slot; creators are excluded. */
async function boughtInside(
  db: Queryable,
  wallet: string,
  buys: readonly EarlyBuyRow[],
  creations: ReadonlyMap<number, Creation>,
): Promise<ScoredTag[]> {
  const inSlot = buys.filter(({ token_id, buy_slot }) => {
    const creation = creations.get(token_id)
    return creation?.slot === buy_slot && creation.creator !== wallet
  })
  if (inSlot.length === 0) return []
  const wanted = inSlot.map((row) => ({ tokenId: row.token_id, slot: row.buy_slot }))
  const rows = await listSlotBuys(db, wanted)
  return [...Map.groupBy(rows, ({ token_id }) => token_id)].flatMap(([tokenId, own]) => {
    const creation = creations.get(tokenId)
    if (creation === undefined) return []
    return scored(tokenId, 'insider', insiderScore(wallet, creation, own.map(buyOf)))
  })
}

const LAMPORTS_A_SOL = 1e9

function whaleTags(rows: readonly ValueRow[]): ScoredTag[] {
  return rows.flatMap((row) => {
    const tokens = Number(row.balance) / 10 ** (row.decimals ?? 0)
    const openValue = BigInt(Math.floor(tokens * (row.price ?? 0) * LAMPORTS_A_SOL))
    return scored(row.token_id, 'whale', whaleScore(BigInt(row.largest_buy_lamports), openValue))
  })
}

function scored(tokenId: number, tag: Tag, score: number | undefined): ScoredTag[] {
  return score === undefined ? [] : [{ tokenId, tag, score }]
}

function windowOf(row: WindowRow): MintWindow {
  return {
    tokenId: row.token_id,
    mint: row.mint,
    coveredSellCount: row.covered_sell_count,
    winCount: row.win_count,
    realizedLamports: BigInt(row.realized_lamports),
    isClosed: row.is_closed,
  }
}

function buyOf(row: SlotBuyRow): SwapOrderKey {
  return {
    slot: row.slot,
    blockTxIndex: row.block_tx_index,
    ixIndex: row.ix_index,
    dex: row.dex,
    isBuy: true,
    signature: row.signature,
    pairAddress: row.pair_address,
    user: row.user,
    solAmount: row.sol_amount,
    tokenAmount: row.token_amount,
  }
}
