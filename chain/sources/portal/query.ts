/**
 * Requests of an SQD Portal, as their JSON. Pure.
 *
 * Decision: docs/decisions/0091-a-portal-proves-order-not-completeness.md
 */

import { LOADERS, UPGRADE_TAGS } from '../../decoder/upgrades.ts'

/** The public dataset of Solana. */
export const PORTAL_URL = 'https://portal.sqd.dev/datasets/solana-mainnet'

export type PortalQuery = {
  /** Both ends included; without `to` the stream ends at the newest block. */
  readonly from: number
  readonly to?: number
  /** Hash of the block before `from`: the portal answers with a fork where it is not the parent. */
  readonly parentHash?: string
  /** Programs whose committed calls are wanted; none: headers only. */
  readonly programs: readonly string[]
  /** Only calls that name this account; blocks without one are left out, but for the first and the last of an answer. */
  readonly mentions?: string | undefined
}

/** A portal refuses unknown names, and sends no field that is not selected. */
const HEADER_FIELDS = ['number', 'hash', 'parentNumber', 'parentHash', 'timestamp']
const FIELDS = {
  transaction: [
    'transactionIndex',
    'version',
    'accountKeys',
    'numRequiredSignatures',
    'signatures',
    'hasDroppedLogMessages',
  ],
  instruction: [
    'transactionIndex',
    'instructionAddress',
    'programId',
    'accounts',
    'data',
    'hasDroppedLogMessages',
  ],
  log: ['transactionIndex', 'logIndex', 'instructionAddress', 'kind', 'message'],
  tokenBalance: [
    'transactionIndex',
    'account',
    'preMint',
    'postMint',
    'preDecimals',
    'postDecimals',
    'preOwner',
    'postOwner',
    'preAmount',
    'postAmount',
  ],
}

/**
 * The body of a request. Every block comes with its header, also where nothing matches, so that a missing block is seen by
 * the parent of the next one. Transactions come with all of their instructions: those outside a call move its tokens, too.
 */
export function portalBody({ from, to, parentHash, programs, mentions }: PortalQuery): string {
  const wanted = {
    programId: programs,
    ...(mentions === undefined ? {} : { mentionsAccount: [mentions] }),
    isCommitted: true,
    transaction: true,
    transactionInstructions: true,
    transactionTokenBalances: true,
    logs: true,
  }
  // Replaced programs of any venue or none: some thousand a day.
  const upgrades = {
    programId: [...LOADERS],
    d4: UPGRADE_TAGS.map((tag) => `0x${tag}`),
    isCommitted: true,
    transaction: true,
    transactionInstructions: true,
  }
  const rows = Object.entries(FIELDS).map(([name, fields]) => [name, selected(fields)])
  return JSON.stringify({
    type: 'solana',
    fromBlock: from,
    ...(to === undefined ? {} : { toBlock: to }),
    ...(parentHash === undefined ? {} : { parentBlockHash: parentHash }),
    includeAllBlocks: mentions === undefined,
    fields: {
      block: selected(HEADER_FIELDS),
      ...(programs.length === 0 ? {} : Object.fromEntries(rows)),
    },
    ...(programs.length === 0 ? {} : { instructions: [wanted, upgrades] }),
  })
}

const selected = (fields: readonly string[]): Record<string, true> =>
  Object.fromEntries(fields.map((field) => [field, true]))
