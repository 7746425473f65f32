/**
 * Profiles wallets: computes what each is known for, by mint, from what the tables say now.
 *
 * Law: a profile is written whole, and of two the one that began later stands. What is good still is not
 * computed again, so asking twice costs one; computing it again from the same tables gives the same tags.
 */
import type { Db } from '../../sql/db.ts'
import { query } from '../../sql/query.ts'
import type { Int64 } from '../../streams/amount.ts'
import type { SwapOrderKey } from '../../streams/swap.ts'
import type { DexId } from '../../streams/venue.ts'
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
  tagsGoodSince,
  whaleScore,
} from '../../streams/wallet-tag.ts'
import { firstHourMs } from '../../streams/wallet-window.ts'
import type { JobFunction } from './functions.ts'

type ProfileRow = { id: number; computed_ms: number | null; newest_ms: number | null }
type FirstBuyRow = { token_id: number; buy_slot: number; mint_slot: number | null }
type CreationRow = { token_id: number } & Creation
type SlotBuyRow = {
  token_id: number
  user: string
  signature: string
  slot: number
  block_tx_index: number
  ix_index: number
  dex: DexId
  pair_address: string
  sol_amount: Int64
  token_amount: Int64
}
type ValueRow = {
  token_id: number
  largest_buy_lamports: Int64
  balance: string
  decimals: number
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
const listDue = query<{ wallet: string }>('tags/list_due')
const listFirstBuys = query<FirstBuyRow>('tags/list_first_buys')
const listCreations = query<CreationRow>('tags/list_creations')
const listSlotBuys = query<SlotBuyRow>('tags/list_slot_buys')
const listValues = query<ValueRow>('tags/list_values')
const sumWindow = query<WindowRow>('tags/sum_window')
const mergeProfile = query('tags/merge_profile')

/** Wallets of one scheduled run: what is left is the next one's. */
const RUN_WALLETS_MAX = 2_000

/** One wallet when it is asked for; by schedule those that are active. */
export const walletTags: JobFunction<'wallet-tags'> = async ({ wallet }, { db }, signal) => {
  if (wallet !== undefined) return await profile(db, wallet)
  for (const row of await listDue(db, [tagsGoodSince(Date.now()), RUN_WALLETS_MAX])) {
    signal.throwIfAborted()
    await profile(db, row.wallet)
  }
}

async function profile(db: Db, wallet: string): Promise<void> {
  const beganMs = Date.now()
  const [known] = await findProfile(db, [wallet])
  if (known === undefined || !areTagsDue(known.computed_ms, beganMs)) return
  const fromMs = firstHourMs(THRESHOLDS.smartMoney.window, known.newest_ms ?? 0)
  const tags = [
    ...(await earlyTags(db, known.id, wallet)),
    ...whaleTags(await listValues(db, [known.id])),
    ...smartMoneyTags((await sumWindow(db, [known.id, fromMs])).map(windowOf)),
  ]
  await mergeProfile(db, [
    known.id,
    beganMs,
    tags.map(({ tokenId }) => tokenId),
    tags.map(({ tag }) => tag),
    tags.map(({ score }) => score),
  ])
}

/** Snipers and insiders: who was there when a mint began. */
async function earlyTags(db: Db, walletId: number, wallet: string): Promise<ScoredTag[]> {
  const buys = await listFirstBuys(db, [walletId])
  const snipes = buys.flatMap(({ token_id, buy_slot, mint_slot }) =>
    scored(token_id, 'sniper', mint_slot === null ? undefined : sniperScore(buy_slot, mint_slot)),
  )
  const creations = await listCreations(db, [buys.map(({ token_id }) => token_id), wallet])
  const slotOf = new Map(buys.map(({ token_id, buy_slot }) => [token_id, buy_slot]))
  const bought = creations.filter(({ token_id, slot }) => slot === (slotOf.get(token_id) ?? -1))
  const rows = await listSlotBuys(db, [
    bought.map(({ token_id }) => token_id),
    bought.map(({ slot }) => slot),
  ])
  const slotBuys = Map.groupBy(rows, ({ token_id }) => token_id)
  const insides = creations.flatMap(({ token_id, ...creation }) => {
    const inSlot = (slotBuys.get(token_id) ?? []).map(buyOf)
    return scored(token_id, 'insider', insiderScore(wallet, creation, inSlot))
  })
  return [...snipes, ...insides]
}

const LAMPORTS_A_SOL = 1e9

function whaleTags(rows: readonly ValueRow[]): ScoredTag[] {
  return rows.flatMap((row) => {
    const tokens = Number(row.balance) / 10 ** row.decimals
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
