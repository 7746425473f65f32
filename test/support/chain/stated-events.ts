/**
 * The statements of the chain about simulated events, venue by venue: the measure of encoder and decoder. Written from
 * the notes on venues in docs/venues.md; of the encoder it takes the draws only, the form of a transaction and the
 * order of mints.
 */

import {
  type EncodedBlock,
  type EncodeOptions,
  type EventGroup,
  type EventSlot,
  encodeBlock,
  formOfGroup,
  groupsOf,
} from '../../../chain/encode-block.ts'
import type { TransactionForm } from '../../../chain/encoder/form.ts'
import { isTokenFirst, owedBy, virtualQuoteOf } from '../../../chain/encoder/swap-call.ts'
import { type Int64, int64 } from '../../../domain/amount.ts'
import type { MarketEvent } from '../../../domain/events/event.ts'
import type { PoolEvent } from '../../../domain/events/pool-event.ts'
import type { Swap } from '../../../domain/events/swap.ts'
import type { DexId } from '../../../domain/venue.ts'

const SOL = 'So11111111111111111111111111111111111111112'
const UNPRICED = { poolPrice: undefined, priceBefore: undefined, priceAfter: undefined }
const NO_FEES = { fee: 0, feeBps: 0, creatorFee: 0, creatorFeeBps: 0 }
const NO_TRANSFER_FEES = { transferFeeIn: 0, transferFeeOut: 0 }

type Stated = (swap: Swap, form: TransactionForm) => Partial<Swap>

/** Reserves of pools whose vaults hold more than the pool's own. */
const vaultReserves = ({
  pairAddress,
  tokenAddress,
  realSolReserves,
  realTokenReserves,
}: Swap) => ({
  realSolReserves: int64(BigInt(realSolReserves) + owedBy(pairAddress, SOL)),
  realTokenReserves: int64(BigInt(realTokenReserves) + owedBy(pairAddress, tokenAddress)),
})

/** A fee as large as the amount itself is not known from balances. */
const knownTransferFees = ({
  transferFeeIn,
  transferFeeOut,
  tokenAmount,
}: Pick<Swap, 'transferFeeIn' | 'transferFeeOut' | 'tokenAmount'>) => ({
  transferFeeIn,
  transferFeeOut: transferFeeOut < tokenAmount ? transferFeeOut : 0,
})

/**
 * A pool takes its fee of what it sends, or always of its second token. The oldest event does not state which: it is known where
 * both are the same.
 */
function isDammFeeInSol({ pairAddress, isBuy }: Swap, age: number): boolean {
  const isSolSecond = isTokenFirst(pairAddress)
  return age === 0 ? isSolSecond && !isBuy : isSolSecond || !isBuy
}

/** Rates of protocol and creator of venue 2: stated where a leg can bear them. */
function outsideRates({ isBuy, solAmount, fee }: Swap, creatorBps: number): Partial<Swap> {
  const charged = BigInt(solAmount) + (isBuy ? -BigInt(fee) : BigInt(fee))
  const outside = [5n, BigInt(creatorBps)].map((bps) => (charged * bps + 9_999n) / 10_000n)
  const isStated = charged >= 0n && BigInt(solAmount) >= outside[0]! + outside[1]!
  return isStated ? { outsideProtocolBps: 5, outsideCreatorBps: creatorBps } : {}
}

/** The chain's statements of a venue; `changed`: of its liquidity, absent where these are the amounts. */
type VenueFacts = {
  /** Differences from the simulated line. */
  readonly swap: Stated
  readonly created: StatedFacts
  readonly changed?: StatedFacts
}

type StatedFacts = { hasAmounts: boolean; hasCreator: boolean }

const VENUE_FACTS: Readonly<Record<DexId, VenueFacts>> = {
  1: {
    // A buy pays the fee by a transfer, whether or not its event states it.
    swap: ({ isBuy, fee }, { age }) => ({
      ...UNPRICED,
      ...(age === 0 ? { ...NO_FEES, fee: isBuy ? fee : 0 } : {}),
    }),
    created: { hasAmounts: false, hasCreator: true },
  },
  2: {
    swap: (swap, { age }) => {
      const isQuoteSol = isTokenFirst(swap.pairAddress, 80)
      const hasCashback = age >= 3
      const virtualQuote = swap.virtualQuoteReserves ?? int64(virtualQuoteOf(swap.pairAddress))
      return {
        ...UNPRICED,
        ...knownTransferFees(swap),
        fee: isQuoteSol ? swap.fee : 0,
        cashback: isQuoteSol && hasCashback ? swap.cashback : 0,
        cashbackBps: hasCashback ? swap.cashbackBps : 0,
        virtualQuoteReserves: isQuoteSol && age >= 4 ? virtualQuote : undefined,
        ...(isQuoteSol ? outsideRates(swap, age === 0 ? 0 : 5) : {}),
      }
    },
    created: { hasAmounts: true, hasCreator: true },
    changed: { hasAmounts: true, hasCreator: true },
  },
  3: {
    swap: (swap, { isLogCut }) => ({
      ...UNPRICED,
      fee: int64((BigInt(swap.solAmount) * 25n) / 10_000n),
      feeBps: 25,
      ...knownTransferFees(swap),
      ...(isLogCut ? vaultReserves(swap) : {}),
    }),
    created: { hasAmounts: false, hasCreator: true },
  },
  4: {
    swap: (swap, { isLogCut, age }) => ({
      ...UNPRICED,
      ...NO_FEES,
      ...(isLogCut ? knownTransferFees(swap) : { priceAfter: swap.priceAfter }),
      fee: isLogCut || age < 4 ? 0 : swap.fee,
    }),
    created: { hasAmounts: false, hasCreator: false },
  },
  5: {
    swap: (swap, { isLogCut, age }) => ({
      ...UNPRICED,
      ...NO_FEES,
      ...(isLogCut ? { ...knownTransferFees(swap), ...vaultReserves(swap) } : {}),
      fee: swap.isBuy && !isLogCut && age >= 3 ? swap.fee : 0,
    }),
    created: { hasAmounts: false, hasCreator: true },
    changed: { hasAmounts: false, hasCreator: true },
  },
  6: {
    swap: (swap, { isLogCut, age }) => {
      const { priceBefore, priceAfter, isBuy, fee } = swap
      const isLogged = !isLogCut && age > 0
      return {
        ...UNPRICED,
        ...NO_FEES,
        ...(isLogged ? { priceBefore, priceAfter } : knownTransferFees(swap)),
        fee: isLogged && isBuy ? fee : 0,
      }
    },
    created: { hasAmounts: false, hasCreator: true },
  },
  7: {
    swap: (swap, { age }) => ({
      ...UNPRICED,
      ...NO_FEES,
      priceAfter: swap.priceAfter,
      fee: isDammFeeInSol(swap, age) ? swap.fee : 0,
      ...(age === 0 ? { ...knownTransferFees(swap), ...vaultReserves(swap) } : {}),
    }),
    created: { hasAmounts: false, hasCreator: true },
  },
  8: {
    swap: ({ solAmount, tokenAmount, quoteDecimals, realSolReserves, fee, ...swap }, { age }) => ({
      ...UNPRICED,
      ...NO_FEES,
      ...knownTransferFees({ ...swap, tokenAmount }),
      fee,
      realTokenReserves: 0,
      realSolReserves: age === 0 ? 0 : realSolReserves,
      // The price of the swap itself, since the simulated market has none.
      ...(solAmount === 0
        ? {}
        : { priceAfter: (Number(solAmount) / Number(tokenAmount)) * 10 ** (quoteDecimals - 9) }),
    }),
    created: { hasAmounts: false, hasCreator: true },
  },
  9: {
    swap: (swap) => ({
      ...UNPRICED,
      ...NO_FEES,
      ...knownTransferFees(swap),
      fee: swap.isBuy ? swap.fee : 0,
    }),
    created: { hasAmounts: false, hasCreator: false },
    changed: { hasAmounts: true, hasCreator: true },
  },
  10: {
    swap: (swap, { isLogCut }) => ({
      ...UNPRICED,
      ...NO_FEES,
      ...NO_TRANSFER_FEES,
      realSolReserves: 0,
      realTokenReserves: 0,
      fee: swap.isBuy && !isLogCut ? swap.fee : 0,
    }),
    created: { hasAmounts: false, hasCreator: false },
  },
}

/** Tokens that a curve begins with. */
const CURVE_TOKENS = 793_100_000_000_000

function factsOf({ event, dex }: PoolEvent, { age }: TransactionForm): StatedFacts {
  if (event === 'created') return VENUE_FACTS[dex].created
  if (dex === 7) return { hasAmounts: true, hasCreator: age > 0 && event !== 'migrated' }
  return (
    VENUE_FACTS[event === 'migrated' ? 1 : dex].changed ?? { hasAmounts: true, hasCreator: false }
  )
}

function statedPoolEvent(
  poolEvent: PoolEvent,
  form: TransactionForm,
  position: Position,
): PoolEvent {
  const { hasAmounts, hasCreator } = factsOf(poolEvent, form)
  const { creator, solAmount, tokenAmount, ...rest } = poolEvent
  // A venue that states amounts states those of an empty pool, too.
  const amounts: { solAmount?: Int64; tokenAmount?: Int64 } = hasAmounts
    ? { solAmount: solAmount ?? 0, tokenAmount: tokenAmount ?? 0 }
    : {}
  if (poolEvent.event === 'created' && poolEvent.dex === 1 && form.age > 0) {
    amounts.tokenAmount = CURVE_TOKENS
  }
  return {
    ...rest,
    ...position,
    ...amounts,
    ...(hasCreator && poolEvent.event !== 'migrated' && creator !== undefined ? { creator } : {}),
  }
}

type Position = { blockTxIndex: number; timestamp: number }

function* statedGroup(
  group: EventGroup,
  form: TransactionForm,
  position: Position,
): Generator<MarketEvent> {
  for (const poolEvent of group.poolEvents) {
    const stated = statedPoolEvent(poolEvent, form, position)
    const token = group.tokens.get(poolEvent.tokenAddress)
    if (token !== undefined) {
      const { sector, creator, ...facts } = token
      yield {
        kind: 'token',
        token: { ...facts, ...(stated.creator === undefined ? {} : { creator: stated.creator }) },
      }
    }
    yield { kind: 'pool_event', poolEvent: stated }
  }
  for (const swap of group.swaps) {
    const unmarked = { ...swap, ...position, agentTrade: 0, timeSource: 0 }
    yield { kind: 'swap', swap: { ...unmarked, ...VENUE_FACTS[swap.dex].swap(swap, form) } }
  }
}

type EncodedSlot = { block: EncodedBlock; stated: MarketEvent[] }

/** The block of a slot, and the events that must be decoded from it. */
export function encodeSlot(slot: EventSlot, options: EncodeOptions = {}): EncodedSlot {
  const block = encodeBlock(slot, options)
  const positions = new Map(
    block.transactions.map(({ transaction }, at) => [
      (transaction as { signatures: string[] }).signatures[0],
      at,
    ]),
  )
  const timestamp = block.blockTime * 1_000
  const stated = Array.from(groupsOf(slot.events)).flatMap((group) => {
    const form = formOfGroup(group, options.form ?? {})
    const blockTxIndex = positions.get(group.signature) ?? -1
    return [...statedGroup(group, form, { blockTxIndex, timestamp })]
  })
  return { block, stated }
}
