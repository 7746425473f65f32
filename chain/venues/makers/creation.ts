/**
 * Transactions that make a pool, with the instructions and events of its venue. Pure.
 */
import { VENUES, venueOf } from '../../../domain/venue.ts'
import type { SimulatedVenue } from '../../../streams/simulator/pool.ts'
import { WSOL_MINT } from '../../decoder/venue-swap.ts'
import type { TransactionForm } from '../../encoder/form.ts'
import { mintInstructions } from '../../encoder/mints.ts'
import { bytesOfHex, writeFields } from '../../encoder/payload.ts'
import { ANY, type PoolCall } from '../../encoder/pool-call.ts'
import { owedBy } from '../../encoder/swap-call.ts'
import {
  DAMM_V2_CREATE_POOL,
  DBC_CREATE_POOL,
  DBC_CREATE_POOL_WITH_HOOK,
  DLMM_CREATE_POOL,
} from '../../layouts/generated-meteora.ts'
import { PUMP_CREATE, PUMP_MIGRATION, PUMPSWAP_CREATE_POOL } from '../../layouts/generated-pump.ts'
import {
  DBC_CREATION_AT,
  DYNAMIC_AMM_POOLS,
  type InstructionLayout,
  ORCA_POOLS,
  RAYDIUM_AMM_POOLS,
  RAYDIUM_CLMM_POOLS,
  RAYDIUM_CPMM_POOLS,
} from '../../layouts/instructions.ts'
import { CLMM_POOL_CREATED, DYNAMIC_AMM_POOL_CREATED } from '../../layouts/published.ts'
import { writeLiquidity } from './liquidity.ts'

/** A curve receives the supply of its token. */
const LAUNCHES = new Set(
  VENUES.filter(({ kind }) => kind === 'bonding_curve' || kind === 'launch').map(({ dex }) => dex),
)
const REAL_TOKENS_OF_CURVE = 793_100_000_000_000n

export function writePoolEvent(call: PoolCall): void {
  switch (call.event.event) {
    case 'created':
      writeCreation(call)
      break
    case 'migrated':
      writeMigration(call)
      break
    case 'liquidity_added':
      writeLiquidity(call, true)
      break
    case 'liquidity_removed':
      writeLiquidity(call, false)
      break
    default:
      call.event.event satisfies never
  }
}

function writeCreation(call: PoolCall): void {
  const { event, token, writer } = call
  const supplyTo = LAUNCHES.has(event.dex) ? call.vault(event.tokenAddress) : undefined
  if (token !== undefined) {
    mintInstructions(writer, token, supplyTo ?? call.wallet(event.tokenAddress))
  }
  CREATIONS[event.dex as SimulatedVenue](call)
}

function writeMigration({ event, writer, owner }: PoolCall): void {
  const payload = writeFields(PUMP_MIGRATION, {
    user: owner,
    mint: event.tokenAddress,
    mint_amount: BigInt(event.tokenAmount ?? 0),
    sol_amount: BigInt(event.solAmount ?? 0),
    bonding_curve: event.fromPair ?? '',
    timestamp: Math.floor(event.timestamp / 1_000),
    pool: event.pairAddress,
  })
  const { program } = venueOf(1)
  const accounts = [owner, event.tokenAddress, event.fromPair ?? '', event.pairAddress]
  writer.call(program, accounts, bytesOfHex('9beae792ec9ea21e'), () =>
    writer.emit(program, payload),
  )
}

type Creation = (call: PoolCall) => void

/** Makes the pool by an instruction alone, and fills it. */
const byInstruction =
  (layoutOf: (form: TransactionForm) => InstructionLayout, owes = false): Creation =>
  (call) => {
    const { event, form, owner } = call
    const layout = layoutOf(form)
    const [first, second] = call.mints
    const { at } = layout
    const secondAt = { secondMint: (at.mint as number) + 1 }
    const roles = 'creator' in at ? { creator: owner } : { owner }
    const accounts = { pool: event.pairAddress, mint: first, secondMint: second, ...roles }
    call.call({ tag: layout.tag, at: { ...at, ...secondAt } }, accounts, () => {
      if (call.amountOf(WSOL_MINT) > 0n) {
        call.move(true, (mint) => (owes ? owedBy(event.pairAddress, mint) : 0n))
      }
    })
  }

/** Makes the pool with an event, by self-CPI or in the logs, and fills it. */
const byEvent =
  (
    payloadOf: (call: PoolCall) => Buffer,
    isLogged = false,
    owes = false,
    layout: InstructionLayout = ANY,
  ): Creation =>
  (call) => {
    const { event, writer, program } = call
    const { at } = layout
    const [mint, secondMint] = call.mints
    const accounts = at.mint === undefined ? {} : { pool: event.pairAddress, mint, secondMint }
    const positions = at.mint === undefined ? at : { ...at, secondMint: at.mint + 1 }
    call.call({ tag: layout.tag, at: positions }, accounts, () => {
      if (call.amountOf(WSOL_MINT) > 0n) {
        call.move(true, (mint) => (owes ? owedBy(event.pairAddress, mint) : 0n))
      }
      const payload = payloadOf(call)
      if (isLogged) writer.logEvent(payload)
      else writer.emit(program, payload)
    })
  }

const CREATIONS: Readonly<Record<SimulatedVenue, Creation>> = {
  1: byEvent(({ event, token, owner, form }) =>
    writeFields(
      PUMP_CREATE,
      {
        name: token?.name ?? '',
        symbol: token?.symbol ?? '',
        mint: event.tokenAddress,
        bonding_curve: event.pairAddress,
        user: owner,
        creator: owner,
        timestamp: Math.floor(event.timestamp / 1_000),
        real_token_reserves: REAL_TOKENS_OF_CURVE,
        token_total_supply: BigInt(token?.supply ?? 0),
      },
      // The oldest event names no creator but the user, and no reserves.
      form.age === 0 ? 'user' : form.age < 3 ? 'token_total_supply' : undefined,
    ),
  ),
  2: byEvent((call) => {
    const [base, quote] = call.mints
    return writeFields(PUMPSWAP_CREATE_POOL, {
      timestamp: Math.floor(call.event.timestamp / 1_000),
      creator: call.owner,
      base_mint: base,
      quote_mint: quote,
      base_amount_in: call.amountOf(base),
      quote_amount_in: call.amountOf(quote),
      pool: call.event.pairAddress,
    })
  }),
  3: byInstruction(() => RAYDIUM_AMM_POOLS.created, true),
  4: byEvent(
    ({ mints: [first, second], event }) => {
      const mints = { token_mint_0: first, token_mint_1: second }
      return writeFields(CLMM_POOL_CREATED, { ...mints, pool_state: event.pairAddress })
    },
    true,
    false,
    RAYDIUM_CLMM_POOLS.created,
  ),
  5: byInstruction(
    ({ age }) => RAYDIUM_CPMM_POOLS[age > 2 ? 'createdWithPermission' : 'created'],
    true,
  ),
  6: byInstruction(
    ({ age }) => ORCA_POOLS[age > 3 ? 'createdAdaptive' : age > 1 ? 'createdV2' : 'created'],
  ),
  7: byEvent(
    ({ mints: [first, second], event, owner }) =>
      writeFields(DAMM_V2_CREATE_POOL, {
        pool: event.pairAddress,
        token_a_mint: first,
        token_b_mint: second,
        creator: owner,
        payer: owner,
      }),
    false,
    true,
  ),
  8: (call) => {
    const { event, form, writer, program, owner } = call
    const accounts = { baseMint: event.tokenAddress, quoteMint: WSOL_MINT }
    call.call({ tag: ANY.tag, at: DBC_CREATION_AT }, accounts, () => {
      const values = { pool: event.pairAddress, creator: owner, base_mint: event.tokenAddress }
      writer.emit(
        program,
        form.age > 3
          ? writeFields(DBC_CREATE_POOL_WITH_HOOK, values)
          : writeFields(DBC_CREATE_POOL, values),
      )
    })
  },
  9: byEvent(({ mints: [first, second], event }) => {
    const mints = { token_x: first, token_y: second }
    return writeFields(DLMM_CREATE_POOL, { ...mints, lb_pair: event.pairAddress })
  }),
  10: byEvent(
    ({ mints: [first, second], event }) => {
      const mints = { token_a_mint: first, token_b_mint: second }
      return writeFields(DYNAMIC_AMM_POOL_CREATED, { ...mints, pool: event.pairAddress })
    },
    true,
    false,
    DYNAMIC_AMM_POOLS.withConfig,
  ),
}
