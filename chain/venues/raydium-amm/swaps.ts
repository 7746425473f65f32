/**
 * Venue 3, Raydium AMM v4: a constant product pool. Pure.
 *
 * The program logs `ray_log`: type 3 for an exact input, 4 for an exact output, with the legs and the reserves
 * before the trade, net of what the pool owes. No event has the fee, 0.25 % of the SOL leg here. Where logs are cut, the
 * reserves are the vaults' balances.
 */
import { accountOf, type Call, keyOf } from '../../decoder/call.ts'
import {
  movedReserve,
  type Sides,
  type SwapRead,
  sidesByTransfers,
  vaultSide,
} from '../../decoder/venue-swap.ts'
import { RAYDIUM_AMM_SWAPS } from './layout.ts'

const FEE_BPS = 25n

const { baseIn, baseOut, baseInV2, baseOutV2 } = RAYDIUM_AMM_SWAPS

/** First byte of the swap instructions, and of their versions 2 without a market. */
const SWAPS_OF_MARKET = new Set([baseIn, baseOut].map(({ tag }) => Number.parseInt(tag, 16)))

const SWAPS_WITHOUT_MARKET = new Set(
  [baseInV2, baseOutV2].map(({ tag }) => Number.parseInt(tag, 16)),
)

const { pool: POOL, authority: AUTHORITY } = baseIn.at

const FIRST_AFTER_AUTHORITY = AUTHORITY + 1

/** Types of `ray_log`, and the offsets of the fields that both have. */
export const RAY_LOG_IN = 3

export const RAY_LOG_OUT = 4

export const RAY_LOG_BYTES = 57

export const RAY_LOG_AT = {
  first: 1,
  second: 9,
  direction: 17,
  coin: 33,
  pc: 41,
  result: 49,
} as const

export const PC_TO_COIN = 1n

export function readSwaps(call: Call): readonly SwapRead[] {
  const tag = call.payload[0] ?? -1
  const hasMarket = SWAPS_OF_MARKET.has(tag)
  if (!hasMarket && !SWAPS_WITHOUT_MARKET.has(tag)) return []
  const log = call.rayLogs().find(([type]) => type === RAY_LOG_IN || type === RAY_LOG_OUT)
  const coin = coinVaultAt(call, hasMarket)
  const trader = keyOf(call, coin + 1 + (hasMarket ? OWNER_AFTER_PC : OWNER_AFTER_PC_V2))
  const sides =
    log === undefined || log.length < RAY_LOG_BYTES
      ? sidesByTransfers(call, coin, coin + 1)
      : sidesByLog(call, log, coin)
  if (sides === undefined) return ['no_vault']
  return [{ pool: keyOf(call, POOL), trader, ...sides, fixedFeeBps: FEE_BPS }]
}

/** Offset of the trader's key from the vault of the second token. */
const OWNER_AFTER_PC = baseIn.at.trader - baseIn.at.coinVault - 1

const OWNER_AFTER_PC_V2 = baseInV2.at.trader - baseInV2.at.coinVault - 1

/**
 * The vaults follow the authority, after one or two accounts of orders where the pool has a market: they are the
 * first accounts whose tokens the authority owns.
 */
function coinVaultAt(call: Call, hasMarket: boolean): number {
  const authority = keyOf(call, AUTHORITY)
  const { accounts } = call.instruction
  for (let at = FIRST_AFTER_AUTHORITY; at < Math.min(accounts.length, COIN_VAULT_MAX + 1); at++) {
    const index = accountOf(call, at) as number
    if (call.transaction.tokenBalances.get(index)?.owner === authority) return at
  }
  if (!hasMarket) return FIRST_AFTER_AUTHORITY
  return accounts.length === ACCOUNTS_WITHOUT_TARGET_ORDERS ? COIN_VAULT_MAX - 1 : COIN_VAULT_MAX
}

const COIN_VAULT_MAX = baseIn.at.coinVault

const ACCOUNTS_WITHOUT_TARGET_ORDERS = 17

function sidesByLog(call: Call, log: Uint8Array, coin: number): Sides | undefined {
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength)
  const u64 = (at: number): bigint => view.getBigUint64(at, true)
  const isExactIn = log[0] === RAY_LOG_IN
  // Exact in: amount in first, result the output. Exact out: output second, result the input.
  const amountIn = isExactIn ? u64(RAY_LOG_AT.first) : u64(RAY_LOG_AT.result)
  const amountOut = isExactIn ? u64(RAY_LOG_AT.result) : u64(RAY_LOG_AT.second)
  const isPcIn = u64(RAY_LOG_AT.direction) === PC_TO_COIN
  const [reserveIn, reserveOut] = isPcIn
    ? [u64(RAY_LOG_AT.pc), u64(RAY_LOG_AT.coin)]
    : [u64(RAY_LOG_AT.coin), u64(RAY_LOG_AT.pc)]
  const [vaultIn, vaultOut] = isPcIn ? [coin + 1, coin] : [coin, coin + 1]
  const input = vaultSide(call, vaultIn, amountIn, movedReserve(reserveIn, amountIn, 1n))
  const output = vaultSide(call, vaultOut, amountOut, movedReserve(reserveOut, amountOut, -1n))
  return input === undefined || output === undefined ? undefined : { input, output }
}
