/**
 * Transactions that change the liquidity of a pool, with the instructions and events of its venue. Pure.
 */
import type { SimulatedVenue } from '../../../streams/simulator/pool.ts'
import type { TransactionForm } from '../../encoder/form.ts'
import { addressOf } from '../../encoder/keys.ts'
import { writeFields } from '../../encoder/payload.ts'
import { ANY, type PoolCall } from '../../encoder/pool-call.ts'
import {
  DAMM_V2_LIQUIDITY,
  DLMM_ADD_LIQUIDITY,
  DLMM_REMOVE_LIQUIDITY,
} from '../../layouts/generated-meteora.ts'
import { PUMPSWAP_DEPOSIT, PUMPSWAP_WITHDRAW } from '../../layouts/generated-pump.ts'
import {
  DYNAMIC_AMM_LIQUIDITY,
  type InstructionLayout,
  ORCA_LIQUIDITY,
  PUMPSWAP_LIQUIDITY,
  RAYDIUM_AMM_POOLS,
  RAYDIUM_CPMM_POOLS,
} from '../../layouts/instructions.ts'
import {
  CLMM_LIQUIDITY,
  DAMM_V2_ADD_LIQUIDITY,
  DAMM_V2_REMOVE_LIQUIDITY,
  DYNAMIC_AMM_ADD_LIQUIDITY,
  DYNAMIC_AMM_REMOVE_LIQUIDITY,
} from '../../layouts/published.ts'

type Liquidity = (call: PoolCall, isAdded: boolean) => void

const unchanging: Liquidity = ({ event }) => {
  throw new TypeError(`pool "${event.pairAddress}": expected a venue whose liquidity changes`)
}

export function writeLiquidity(call: PoolCall, isAdded: boolean): void {
  LIQUIDITY[call.event.dex as SimulatedVenue](call, isAdded)
}

/** The change by an instruction alone. */
const changedBy =
  (layoutOf: (isAdded: boolean, form: TransactionForm) => InstructionLayout): Liquidity =>
  (call, isAdded) => {
    const { tag, at } = layoutOf(isAdded, call.form)
    const accounts: Record<string, string> = { pool: call.event.pairAddress }
    const positions: Record<string, number> = { ...at }
    if (at.mint !== undefined) {
      const [first, second] = call.mints
      positions.secondMint = at.mint + 1
      Object.assign(accounts, { mint: first, secondMint: second, owner: call.owner })
    }
    call.call({ tag, at: positions }, accounts, () => call.move(isAdded))
  }

/** The change with an event. */
const changedWith =
  (
    payloadOf: (call: PoolCall, isAdded: boolean) => Buffer,
    {
      isLogged = false,
      layoutOf = () => ANY,
    }: { isLogged?: boolean; layoutOf?: (isAdded: boolean) => InstructionLayout } = {},
  ): Liquidity =>
  (call, isAdded) => {
    const layout = layoutOf(isAdded)
    const accounts = 'pool' in layout.at ? { pool: call.event.pairAddress } : {}
    call.call(layout, accounts, () => {
      call.move(isAdded)
      const payload = payloadOf(call, isAdded)
      if (isLogged) call.writer.logEvent(payload)
      else call.writer.emit(call.program, payload)
    })
  }

const SOME_LIQUIDITY = 1n << 80n

const LIQUIDITY: Readonly<Record<SimulatedVenue, Liquidity>> = {
  1: unchanging,
  2: (call, isAdded) => {
    const { event, writer, program, owner } = call
    const [base, quote] = call.mints
    const common = {
      timestamp: Math.floor(event.timestamp / 1_000),
      pool: event.pairAddress,
      user: owner,
    }
    const [baseUnits, quoteUnits] = [call.amountOf(base), call.amountOf(quote)]
    const accounts = { baseMint: base, quoteMint: quote }
    call.call(PUMPSWAP_LIQUIDITY[isAdded ? 'deposit' : 'withdraw'], accounts, () => {
      call.move(isAdded)
      const payload = isAdded
        ? writeFields(PUMPSWAP_DEPOSIT, {
            ...common,
            base_amount_in: baseUnits,
            quote_amount_in: quoteUnits,
          })
        : writeFields(PUMPSWAP_WITHDRAW, {
            ...common,
            base_amount_out: baseUnits,
            quote_amount_out: quoteUnits,
          })
      writer.emit(program, payload)
    })
  },
  3: changedBy((isAdded) => RAYDIUM_AMM_POOLS[isAdded ? 'added' : 'removed']),
  4: changedWith(
    ({ event }, isAdded) =>
      writeFields(CLMM_LIQUIDITY, {
        pool_state: event.pairAddress,
        liquidity_before: SOME_LIQUIDITY,
        liquidity_after: isAdded ? SOME_LIQUIDITY + 1n : SOME_LIQUIDITY - 1n,
      }),
    { isLogged: true },
  ),
  5: changedBy((isAdded) => RAYDIUM_CPMM_POOLS[isAdded ? 'added' : 'removed']),
  6: changedBy((isAdded, { age }) => {
    const { added, addedV2, addedByAmounts, removed, removedV2 } = ORCA_LIQUIDITY
    if (isAdded) return age > 3 ? addedByAmounts : age > 1 ? addedV2 : added
    return age > 1 ? removedV2 : removed
  }),
  7: changedWith(({ event, form, owner }, isAdded) => {
    const pool = event.pairAddress
    if (form.age > 0) {
      return writeFields(DAMM_V2_LIQUIDITY, { pool, owner, change_type: isAdded ? 0 : 1 })
    }
    return isAdded
      ? writeFields(DAMM_V2_ADD_LIQUIDITY, { pool })
      : writeFields(DAMM_V2_REMOVE_LIQUIDITY, { pool })
  }),
  8: unchanging,
  9: changedWith(({ event, owner }, isAdded) => {
    const values = {
      lb_pair: event.pairAddress,
      from: owner,
      position: addressOf(`position ${owner}`),
    }
    return isAdded
      ? writeFields(DLMM_ADD_LIQUIDITY, values)
      : writeFields(DLMM_REMOVE_LIQUIDITY, values)
  }),
  10: changedWith(
    (_, isAdded) =>
      isAdded
        ? writeFields(DYNAMIC_AMM_ADD_LIQUIDITY, {})
        : writeFields(DYNAMIC_AMM_REMOVE_LIQUIDITY, {}),
    { isLogged: true, layoutOf: (isAdded) => DYNAMIC_AMM_LIQUIDITY[isAdded ? 'added' : 'removed'] },
  ),
}
