/**
 * Requests of an SQD Portal, as their JSON. Pure.
 *
 * Decision: docs/decisions/0091-a-portal-proves-order-not-completeness.md
 */

import { LOADERS, UPGRADE_TAGS } from '../../decoder/upgrades.ts'
import {
  INITIALIZE_METADATA,
  METADATA_CALLS,
  METADATA_PROGRAM,
} from '../../transaction/metadata-call.ts'
import { TOKEN_PROGRAMS } from '../../transaction/token-program.ts'

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
  /**
   * Only calls that name one of these accounts, at most `MENTIONS_MAX`; blocks without one are left out, but for the first and the
   * last of an answer.
   */
  readonly mentions?: readonly string[] | undefined
  /** Whether calls that name a mint are wanted, too, each without the rest of its transaction. */
  readonly hasNames?: boolean
}

/** Accounts of one filter, and filters of a request, of which a portal takes 100 in all. */
const FILTER_ACCOUNTS_MAX = 10
const ACCOUNT_FILTERS_MAX = 90
export const MENTIONS_MAX = FILTER_ACCOUNTS_MAX * ACCOUNT_FILTERS_MAX

/** Calls that name a mint, by the first bytes of their data. */
const NAMING = [
  {
    programId: [METADATA_PROGRAM],
    d1: Array.from(METADATA_CALLS.keys(), (tag) => `0x${tag.toString(16).padStart(2, '0')}`),
  },
  { programId: [TOKEN_PROGRAMS[1]], d8: [`0x${INITIALIZE_METADATA}`] },
]

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
export function portalBody({
  from,
  to,
  parentHash,
  programs,
  mentions,
  hasNames = false,
}: PortalQuery): string {
  const wanted = {
    programId: programs,
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
  const naming = NAMING.map((each) => ({ ...each, isCommitted: true, transaction: true }))
  const own =
    mentions === undefined
      ? [wanted]
      : listsOf(mentions).map((mentionsAccount) => ({ ...wanted, mentionsAccount }))
  const instructions = [...own, upgrades, ...(hasNames ? naming : [])]
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
    ...(programs.length === 0 ? {} : { instructions }),
  })
}

function listsOf(accounts: readonly string[]): string[][] {
  const count = Math.ceil(accounts.length / FILTER_ACCOUNTS_MAX)
  return Array.from({ length: count }, (_, index) =>
    accounts.slice(index * FILTER_ACCOUNTS_MAX, (index + 1) * FILTER_ACCOUNTS_MAX),
  )
}

const selected = (fields: readonly string[]): Record<string, true> =>
  Object.fromEntries(fields.map((field) => [field, true]))
