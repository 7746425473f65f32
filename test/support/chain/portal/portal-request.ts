/** Requests as an SQD Portal checks them: an unknown name is refused. Pure. */
/** Filter of instructions, as far as the portal of a test knows it. */
export type PortalFilter = {
  programId: string[]
  d1?: string[]
  d8?: string[]
  mentionsAccount?: string[]
  transactionInstructions?: boolean
}

export type PortalRequest = {
  type: string
  fromBlock: number
  toBlock?: number
  parentBlockHash?: string
  includeAllBlocks?: boolean
  fields: Record<string, Record<string, boolean>>
  instructions?: PortalFilter[]
}

const NAMES = new Set([
  'type',
  'fromBlock',
  'toBlock',
  'parentBlockHash',
  'includeAllBlocks',
  'fields',
  'instructions',
  'transactions',
  'logs',
  'balances',
  'tokenBalances',
  'rewards',
])
const FIELDS: Readonly<Record<string, string>> = {
  block: 'number hash parentNumber parentHash height timestamp',
  transaction:
    'transactionIndex version accountKeys numRequiredSignatures signatures hasDroppedLogMessages feePayer err fee computeUnitsConsumed loadedAddresses addressTableLookups numReadonlySignedAccounts numReadonlyUnsignedAccounts recentBlockhash',
  instruction:
    'transactionIndex instructionAddress programId accounts data d1 d2 d4 d8 error computeUnitsConsumed isCommitted hasDroppedLogMessages',
  log: 'transactionIndex logIndex instructionAddress kind message programId',
  tokenBalance:
    'transactionIndex account preMint postMint preDecimals postDecimals preOwner postOwner preAmount postAmount preProgramId postProgramId',
  balance: 'transactionIndex account pre post',
  reward: 'pubkey lamports postBalance rewardType commission',
}
const FILTERS = new Set(
  'programId discriminator d1 d2 d4 d8 mentionsAccount isCommitted transaction transactionInstructions transactionTokenBalances transactionBalances innerInstructions parentInstructions logs'.split(
    ' ',
  ),
)

/** Why the portal refuses a request; undefined where it does not. */
export function refusalOf(request: PortalRequest): string | undefined {
  const unknown = Object.keys(request).find((name) => !NAMES.has(name))
  if (unknown !== undefined) return `unknown field ${unknown}`
  if (request.type !== 'solana') return 'type must be solana'
  if (!Number.isSafeInteger(request.fromBlock)) return 'fromBlock is missing'
  if (request.toBlock !== undefined && request.toBlock < request.fromBlock)
    return 'toBlock is before fromBlock'
  for (const [kind, fields] of Object.entries(request.fields)) {
    const known = FIELDS[kind]?.split(' ')
    if (known === undefined) return `unknown kind ${kind}`
    const other = Object.keys(fields).find((field) => !known.includes(field))
    if (other !== undefined) return `unknown field ${kind}.${other}`
  }
  for (const filter of request.instructions ?? []) {
    const other = Object.keys(filter).find(
      (name) => !FILTERS.has(name) && !/^a(?:\d|1[0-5])$/.test(name),
    )
    if (other !== undefined) return `unknown filter ${other}`
  }
  return undefined
}
