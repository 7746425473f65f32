/**
 * Transactions that make a pool or change its liquidity, with the instructions and events of its venue. Pure.
 */
import { VENUES } from '../domain/venue.ts'
import { mintInstructions } from './encoder/mints.ts'
import type { PoolCall } from './encoder/pool-call.ts'
import { ENCODERS } from './venues/encoders.ts'

/** A curve receives the supply of its token. */
const LAUNCHES = new Set(
  VENUES.filter(({ kind }) => kind === 'bonding_curve' || kind === 'launch').map(({ dex }) => dex),
)

export function writePoolEvent(call: PoolCall): void {
  const { event, dex, pairAddress } = call.event
  const { migrate, changeLiquidity } = ENCODERS[dex]
  switch (event) {
    case 'created':
      writeCreation(call)
      break
    case 'migrated':
      if (migrate === undefined) {
        throw new TypeError(`pool "${pairAddress}": expected a venue that curves migrate to`)
      }
      migrate(call)
      break
    case 'liquidity_added':
    case 'liquidity_removed':
      if (changeLiquidity === undefined) {
        throw new TypeError(`pool "${pairAddress}": expected a venue whose liquidity changes`)
      }
      changeLiquidity(call, event === 'liquidity_added')
      break
    default:
      event satisfies never
  }
}

function writeCreation(call: PoolCall): void {
  const { event, token, writer } = call
  const supplyTo = LAUNCHES.has(event.dex) ? call.vault(event.tokenAddress) : undefined
  if (token !== undefined) {
    mintInstructions(writer, token, supplyTo ?? call.wallet(event.tokenAddress))
  }
  ENCODERS[event.dex].create(call)
}
