/** Random calls of the functions that read stored swaps. */
import * as newest from '../../../../history/swaps/newest.ts'
import * as pools from '../../../../history/swaps/pools.ts'
import * as scans from '../../../../history/swaps/scan/all.ts'
import * as sums from '../../../../history/swaps/scan/sums.ts'
import * as slots from '../../../../history/swaps/slots.ts'
import * as tokens from '../../../../history/swaps/tokens.ts'
import * as wallets from '../../../../history/swaps/wallets.ts'
import { boolArray, int8Array } from '../../../../sql/binary/arrays.ts'
import { OF_PAST } from './past-room.ts'
import {
  all,
  cursor,
  HOUR_MS,
  idsOf,
  MINUTE_MS,
  msOf,
  one,
  type Read,
  rangeOf,
  read,
  rowsOf,
  SLOT_MAX,
  slotOf,
  some,
  type Write,
} from './random-call.ts'

const OF_POOLS: Record<string, Read> = {
  listPoolSwaps: (prng, market) => {
    const wanted = [one(prng, market.pools).id, slotOf(prng, market), rowsOf(prng)] as const
    return read(wanted, (db) => pools.listPoolSwaps(db, ...wanted))
  },
  listNeighbours: (prng, market) => {
    const wanted = some(prng, market.swaps).map(({ pairAddress, slot, blockTxIndex, ixIndex }) => ({
      poolId: market.pools.find(({ base58 }) => base58 === pairAddress)!.id,
      slot: Number(slot) + one(prng, [-1, 0, 0, 0, 1, 700]),
      blockTxIndex: Number(blockTxIndex),
      ixIndex: ixIndex + prng.below(2),
    }))
    return read(wanted, (db) => pools.listNeighbours(db, wanted))
  },
  findMinuteEnds: (prng, market) => {
    const wanted = some(prng, market.minutes, 9)
    return read(wanted, (db) => pools.findMinuteEnds(db, wanted))
  },
  listMinuteSwaps: (prng, market) => {
    const wanted = some(prng, market.minutes, 9)
    return read(wanted, (db) => pools.listMinuteSwaps(db, wanted))
  },
  findLastPrices: (prng, market) => {
    const wanted = idsOf(prng, market.pools, 9)
    return read(wanted, (db) => pools.findLastPrices(db, wanted))
  },
  findPoolEnds: (prng, market) => {
    const wanted = idsOf(prng, market.pools, 9)
    return read(wanted, (db) => pools.findPoolEnds(db, wanted))
  },
  listLastSwaps: (prng, market) => {
    const wanted = idsOf(prng, market.pools, 9)
    return read(wanted, (db) => pools.listLastSwaps(db, wanted))
  },
  findLastSlot: (prng, market) => {
    const wanted = [one(prng, market.pools).id, rangeOf(prng, market)] as const
    return read(wanted, (db) => pools.findLastSlot(db, ...wanted))
  },
  listFollowingSwaps: (prng, market) => {
    const wanted = [one(prng, market.pools).id, rangeOf(prng, market), rowsOf(prng)] as const
    return read(wanted, (db) => pools.listFollowingSwaps(db, ...wanted))
  },
}

const OF_TOKENS: Record<string, Read> = {
  listFirstSwaps: (prng, market) => {
    const wanted = [one(prng, market.tokens).id, rangeOf(prng, market)] as const
    return read(wanted, (db) => tokens.listFirstSwaps(db, ...wanted))
  },
  listEarlySwaps: (prng, market) => {
    const counts = { rows: rowsOf(prng), wallets: 1 + prng.below(6) }
    const oneSlot = prng.chance(0.5) ? null : slotOf(prng, market)
    const wanted = { ...rangeOf(prng, market), ...counts, oneSlot }
    const tokenId = one(prng, market.tokens).id
    return read([tokenId, wanted], (db) => tokens.listEarlySwaps(db, tokenId, wanted))
  },
  findPeak: (prng, market) => {
    const { base58 } = one(prng, market.tokens)
    return read(base58, (db) => tokens.findPeak(db, base58))
  },
  findPriceAt: (prng, market) => {
    const wanted = [idsOf(prng, market.pools), msOf(prng, market)] as const
    return read(wanted, (db) => tokens.findPriceAt(db, ...wanted))
  },
  listEarlyBuys: (prng, market) => {
    const range = { ...rangeOf(prng, market), slotsMax: one(prng, [0, 3, 150, 9_000]) }
    // The sum with the last slot is an int8.
    const wanted = { ...range, high: Math.min(range.high, 3_000_000) }
    const ids = [one(prng, market.wallets).id, idsOf(prng, market.tokens)] as const
    return read([...ids, wanted], (db) => tokens.listEarlyBuys(db, ...ids, wanted))
  },
  listSlotBuys: (prng, market) => {
    const wanted = some(prng, market.swaps, 6).map(({ tokenAddress, slot }) => ({
      tokenId: market.tokens.find(({ base58 }) => base58 === tokenAddress)!.id,
      slot: Number(slot),
    }))
    return read(wanted, (db) => tokens.listSlotBuys(db, wanted))
  },
  listCreatorSales: (prng, market) => {
    const byKey = new Map(
      some(prng, market.swaps, 6).map(({ tokenAddress, user, timestamp }) => {
        const tokenId = market.tokens.find(({ base58 }) => base58 === tokenAddress)!.id
        const minuteMs = Math.floor(Number(timestamp) / MINUTE_MS) * MINUTE_MS
        const walletId = market.wallets.find(({ base58 }) => base58 === user)!.id
        return [`${tokenId} ${minuteMs}`, { tokenId, walletId, minuteMs }]
      }),
    )
    const wanted = [...byKey.values()]
    return read(wanted, (db) => tokens.listCreatorSales(db, wanted))
  },
  listBucketTraders: (prng, market) => {
    const widthMs = one(prng, [MINUTE_MS, HOUR_MS])
    const wanted = some(prng, market.swaps, 30).map(({ tokenAddress, timestamp }) => ({
      tokenId: market.tokens.find(({ base58 }) => base58 === tokenAddress)!.id,
      bucketMs: Math.floor(Number(timestamp) / widthMs) * widthMs,
    }))
    return read([wanted, widthMs], (db) => tokens.listBucketTraders(db, wanted, widthMs))
  },
  listPastDecimals: (prng, market) => {
    const wanted = [idsOf(prng, market.tokens), slotOf(prng, market)] as const
    return read(wanted, async (db) => [...(await tokens.listPastDecimals(db, ...wanted))])
  },
}

const OF_WALLETS: Record<string, Read> = {
  walletSwaps: (prng, market) => {
    const wanted = {
      ...rangeOf(prng, market),
      walletId: one(prng, market.wallets).id,
      tokenIds: prng.chance(0.5) ? undefined : idsOf(prng, market.tokens),
      dex: prng.chance(0.7) ? undefined : 1 + prng.below(10),
    }
    return cursor(wanted, (db) => all(wallets.walletSwaps(db, wanted)))
  },
  findTiedMint: (prng, market) => {
    const { user, slot, blockTxIndex, ixIndex, dex } = one(prng, market.swaps)
    const wanted = {
      walletId: market.wallets.find(({ base58 }) => base58 === user)!.id,
      tokenIds: market.tokens.map(({ id }) => id),
      position: [slot, blockTxIndex, ixIndex, dex].map(Number),
      fromMs: 0,
      endMs: SLOT_MAX,
    }
    return read(wanted, (db) => wallets.findTiedMint(db, wanted))
  },
  hasSwapSince: (prng, market) => {
    const wanted = [one(prng, market.wallets).base58, rangeOf(prng, market)] as const
    const ms = msOf(prng, market)
    return read([...wanted, ms], (db) => wallets.hasSwapSince(db, ...wanted, ms))
  },
  listQuantities: (prng, market) => {
    const days = [msOf(prng, market), msOf(prng, market)].sort((a, b) => a - b)
    const [fromMs, toMs] = days.map((ms) => Math.floor(ms / 86_400_000) * 86_400_000)
    const wanted = {
      ...rangeOf(prng, market),
      walletId: one(prng, market.wallets).id,
      fromMs: fromMs!,
      toMs: toMs!,
      tokenIds: prng.chance(0.5) ? null : idsOf(prng, market.tokens),
    }
    return read(wanted, (db) => wallets.listQuantities(db, wanted))
  },
  listPositionSwaps: (prng, market) => {
    const wanted = Array.from({ length: 1 + prng.below(8) }, () => ({
      walletId: one(prng, market.wallets).id,
      tokenId: one(prng, market.tokens).id,
      fromSlot: prng.chance(0.3) ? 0 : slotOf(prng, market),
    }))
    const rows = rowsOf(prng)
    return read([wanted, rows], (db) => wallets.listPositionSwaps(db, wanted, rows))
  },
  listMiscounted: (prng, market) => {
    const wanted = idsOf(prng, market.wallets)
    return read(wanted, (db) => wallets.listMiscounted(db, wanted))
  },
  listArbitrageurs: (prng, market) => {
    const hours = [msOf(prng, market), msOf(prng, market)]
      .map((ms) => Math.floor(ms / HOUR_MS) * HOUR_MS)
      .sort((a, b) => a - b)
    const wanted = { fromMs: hours[0]!, toMs: hours[1]! }
    const all = { low: 0, high: SLOT_MAX }
    return read(wanted, (db) => wallets.listArbitrageurs(db, wanted, all))
  },
  countWalletSwaps: (prng, market) => {
    const owned = {
      walletId: one(prng, market.wallets).id,
      tokenIds: idsOf(prng, market.tokens),
    }
    const most = { slot: slotOf(prng, market), most: rowsOf(prng) }
    return read([owned, most], (db) => wallets.countWalletSwaps(db, owned, most))
  },
}

const OF_SLOTS: Record<string, Read> = {
  listWholeSlots: (prng, market) => {
    const { low, high } = rangeOf(prng, market)
    const wanted = {
      afterSlot: low,
      toSlot: high,
      rows: rowsOf(prng),
      venues: prng.chance(0.5) ? null : some(prng, [1, 2, 3, 4, 5]),
      times: prng.chance(0.5)
        ? ([0, SLOT_MAX] as const)
        : ([msOf(prng, market) - 40 * HOUR_MS, msOf(prng, market)] as const),
    }
    const planning = one(prng, ['anew', 'cached'] as const)
    return read(wanted, (db) => slots.listWholeSlots(db, wanted, planning))
  },
  listSlotSwaps: (prng, market) => {
    const slot = slotOf(prng, market)
    return read(slot, (db) => slots.listSlotSwaps(db, slot))
  },
  findSwapTimes: (prng, market) => {
    const slot = Math.floor(slotOf(prng, market) / 100) * 100
    return read(slot, (db) => slots.findSwapTimes(db, slot, slot + 100))
  },
  findLaterSlot: (prng, market) => {
    const ms = msOf(prng, market)
    return read(ms, (db) => slots.findLaterSlot(db, ms))
  },
  findSlotUntil: (prng, market) => {
    const slot = slotOf(prng, market) - one(prng, [0, 40, 10_000_000])
    return read(slot, (db) => slots.findSlotUntil(db, slot))
  },
  readLatestTime: (prng, market) => {
    const slot = slotOf(prng, market)
    return read(slot, (db) => slots.readLatestTime(db, slot))
  },
  listTimesAround: (prng, market) => {
    const firsts = Array.from({ length: 5 }, () => slotOf(prng, market))
    const lasts = firsts.map((slot) => slot + prng.below(400))
    return read([firsts, lasts], (db) => slots.listTimesAround(db, firsts, lasts))
  },
}

const OF_ALL: Record<string, Read> = {
  exportedSwaps: (prng, market) => {
    const wanted = { ...rangeOf(prng, market), fromMs: msOf(prng, market), toMs: SLOT_MAX }
    return cursor(wanted, (db) => all(scans.exportedSwaps(db, wanted)))
  },
  sumSwaps: (prng, market) => {
    const wanted = { ...rangeOf(prng, market), fromMs: msOf(prng, market), toMs: SLOT_MAX }
    return read(wanted, (db) => sums.sumSwaps(db, wanted))
  },
  exportedLots: () => cursor('all', (db) => all(scans.exportedLots(db))),
  tokenTrades: (prng, market) => {
    const ids = [one(prng, market.tokens).id, one(prng, market.tokens).id].sort((a, b) => a - b)
    return cursor(ids, (db) => all(scans.tokenTrades(db, ids[0]!, ids[1]! + 1, 0)))
  },
  venueVolumes: () => cursor('all', (db) => all(scans.venueVolumes(db, 0))),
  countSwaps: () => read('all', (db) => scans.countSwaps(db)),
  listDangling: () => read('all', (db) => scans.listDangling(db)),
  compareMarketTraders: (prng, market) => {
    const wanted = [
      Math.floor(msOf(prng, market) / HOUR_MS) * HOUR_MS,
      one(prng, [1, 3, 20]),
    ] as const
    return read(wanted, (db) => scans.compareMarketTraders(db, ...wanted))
  },
  readNewest: () => read('all', (db) => newest.readNewest(db).then((row) => row?.newest_slot)),
  readNewestSlot: () => read('all', (db) => newest.readNewestSlot(db)),
  readTotals: () => read('all', (db) => newest.readTotals(db)),
  findSubjects: () => read('all', (db) => newest.findSubjects(db)),
  listDueWallets: (prng) => {
    const wanted = { taggedMs: 1, rows: rowsOf(prng), latestMs: SLOT_MAX }
    return read(wanted, (db) => newest.listDueWallets(db, wanted))
  },
}

export const READS: Readonly<Record<string, Read>> = {
  ...OF_POOLS,
  ...OF_TOKENS,
  ...OF_WALLETS,
  ...OF_SLOTS,
  ...OF_PAST,
  ...OF_ALL,
}

export const WRITES: Readonly<Record<string, Write>> = {
  insertPoolTraders: (prng, market) => {
    const { id } = one(prng, market.pools)
    return {
      ...{ table: 'pool_trader', wanted: id },
      run: async (db) => {
        await db.query('delete from pool_trader')
        return pools.insertPoolTraders(db, id)
      },
    }
  },
  recountTokens: (prng, market) => {
    const ids = [one(prng, market.tokens).id, one(prng, market.tokens).id].sort((a, b) => a - b)
    const table = one(prng, ['trader_minute', 'trader_hour', 'token_start'])
    return {
      ...{ table, wanted: ids },
      run: async (db) => {
        await db.query('truncate trader_minute, trader_hour, token_start, ranking_cover')
        return slots.recountTokens(db, [ids[0]!, ids[1]! + 1], 0, 3)
      },
    }
  },
  addMarketBuckets: (prng, market) => {
    const wanted = some(prng, market.swaps, 5).map(({ timestamp }) => {
      const isHour = prng.chance(0.5)
      const widthMs = isHour ? HOUR_MS : MINUTE_MS
      return { isHour, bucketMs: Math.floor(Number(timestamp) / widthMs) * widthMs }
    })
    const isHour = boolArray(wanted.map((bucket) => bucket.isHour))
    const bucketMs = int8Array(wanted.map((bucket) => bucket.bucketMs))
    return {
      ...{ table: 'market_trader', wanted },
      run: (db) => slots.addMarketBuckets(db, isHour, bucketMs),
    }
  },
  addMarketTraders: (prng, market) => {
    const ms = Math.floor(msOf(prng, market) / HOUR_MS) * HOUR_MS
    return {
      ...{ table: 'market_trader', wanted: ms },
      run: (db) => slots.addMarketTraders(db, ms),
    }
  },
  correctStarts: (prng, market) => {
    const ids = idsOf(prng, market.tokens)
    return {
      ...{ table: 'token_start', wanted: ids },
      run: async (db) => {
        await db.query('truncate token_start')
        await db.query('insert into token_start (token_id, first_ms) select id, 5 from token')
        return slots.correctStarts(db, ids)
      },
    }
  },
  beginAudit: () => ({
    ...{ table: 'ledger_audit', wanted: 'all' },
    run: (db) => newest.beginAudit(db, 3),
  }),
  mergeTransactions: (prng, market) => {
    const hours = some(prng, market.swaps, 30).map(({ user, timestamp }) => ({
      walletId: market.wallets.find(({ base58 }) => base58 === user)!.id,
      hourMs: Math.floor(Number(timestamp) / HOUR_MS) * HOUR_MS,
    }))
    const distinct = [...new Map(hours.map((hour) => [Object.values(hour).join(), hour])).values()]
    return {
      ...{ table: 'wallet_transactions', wanted: distinct },
      run: async (db) => {
        await db.query(
          `create temp table leaderboard_judged on commit drop as
           select wallet_id, hour_ms, 1::bigint as transactions_least, 9::bigint as transactions_most,
             1::bigint as arbitrages_least, 9::bigint as arbitrages_most
           from unnest($1::integer[], $2::bigint[]) as judged (wallet_id, hour_ms)`,
          [distinct.map(({ walletId }) => walletId), distinct.map(({ hourMs }) => hourMs)],
        )
        return wallets.mergeTransactions(db)
      },
    }
  },
}
