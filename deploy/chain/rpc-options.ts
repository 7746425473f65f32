/**
 * Options of the commands that read blocks from a Solana node. The URL may hold a key: it is better placed in the
 * environment, where no list of processes shows it, and it is never printed.
 */

import { endpointOf } from '../../chain/rpc/http.ts'
import { COMMITMENTS } from '../../chain/sources/blocks/block-answer.ts'
import {
  type BlockClient,
  openBlockClient,
  REQUESTS_PER_SECOND,
} from '../../chain/sources/blocks/block-client.ts'
import { ALL_VENUE_BITS, venueBits } from '../../domain/coverage.ts'
import { dexOfText, VENUE_RANGE, VENUE_TEXTS } from '../../domain/venue.ts'
import { choiceOption, integerOption, UsageError } from '../cli/arguments.ts'
import type { CommandContext } from '../cli/command.ts'
import { expectation, isUrlOf } from '../config/parse.ts'
import { SETTINGS } from '../config/settings.ts'

export const RPC_OPTIONS = {
  rpc: {
    type: 'string',
    value: 'URL',
    about: 'Solana JSON-RPC node; absent: SOURCE_RPC_URL; with a portal: for what that lacks',
  },
  commitment: {
    type: 'string',
    value: 'C',
    about: 'confirmed, or finalized: some 13 s later, and no fork can follow',
    default: 'confirmed',
  },
  rate: {
    type: 'string',
    value: 'N',
    about: 'requests per second at most, one a block',
    default: String(REQUESTS_PER_SECOND),
  },
} as const

export const VENUES_OPTION = {
  type: 'string',
  value: 'NAMES',
  about: `only these of ${VENUE_RANGE}, separated by commas; absent: all`,
} as const

const RATE_MAX = 10_000

export type RpcValues = { rpc?: string | undefined; commitment: string; rate: string }

/** The URL of the node; warns of a key in an argument. Throws UsageError. */
export function readRpcUrl(
  values: Pick<RpcValues, 'rpc'>,
  { config, progress }: CommandContext,
): string {
  const rpcUrl = values.rpc ?? config.sourceRpcUrl
  if (rpcUrl === undefined)
    throw new UsageError('--rpc is missing: name a URL or set SOURCE_RPC_URL')
  const { kind } = SETTINGS.SOURCE_RPC_URL
  if (!isUrlOf(rpcUrl, kind.schemes)) throw new UsageError(`--rpc: ${expectation(kind)}`)
  if (values.rpc !== undefined && endpointOf(rpcUrl).secrets.length > 0) {
    progress.say(
      'hint: --rpc seems to contain a key, which lists of processes show: use SOURCE_RPC_URL',
    )
  }
  return rpcUrl
}

/** Requests per second. Throws UsageError. */
export const requestRate = (text: string): number =>
  integerOption('rate', text, { min: 1, max: RATE_MAX }) ?? 1

/** Throws UsageError. */
export function openRpc(values: RpcValues, context: CommandContext): BlockClient {
  return openBlockClient({
    rpcUrl: readRpcUrl(values, context),
    commitment: choiceOption('commitment', values.commitment, COMMITMENTS),
    requestsPerSecond: requestRate(values.rate),
  })
}

/** The venues as bits. Throws UsageError. */
export function readVenues(text: string | undefined): number {
  if (text === undefined) return ALL_VENUE_BITS
  const names = text.split(',').map((name) => choiceOption('venues', name.trim(), VENUE_TEXTS))
  return venueBits(names.map((name) => dexOfText(name)).filter((dex) => dex !== undefined))
}
