/**
 * Tags of protobuf fields (number << 3 | wire type), by message and field.
 * Generated from proto/yellowstone/geyser.proto by "npm run generate": do not edit.
 */

export const SUBSCRIBE_REQUEST = {
  slots: 18,
  transactions: 26,
  blocksMeta: 42,
  commitment: 48,
  ping: 74,
  transactionsStatus: 82,
  fromSlot: 88,
} as const

export const SUBSCRIBE_REQUEST_FILTER_SLOTS = {
  filterByCommitment: 8,
  interslotUpdates: 16,
} as const

export const SUBSCRIBE_REQUEST_FILTER_TRANSACTIONS = {
  vote: 8,
  failed: 16,
  accountInclude: 26,
} as const

export const SUBSCRIBE_REQUEST_PING = {
  id: 8,
} as const

export const SUBSCRIBE_UPDATE = {
  filters: 10,
  slot: 26,
  transaction: 34,
  ping: 50,
  blockMeta: 58,
  pong: 74,
  transactionStatus: 82,
} as const

export const SUBSCRIBE_UPDATE_SLOT = {
  slot: 8,
  parent: 16,
  status: 24,
} as const

export const SUBSCRIBE_UPDATE_TRANSACTION = {
  transaction: 10,
  slot: 16,
} as const

export const SUBSCRIBE_UPDATE_TRANSACTION_INFO = {
  signature: 10,
  isVote: 16,
  transaction: 26,
  meta: 34,
  index: 40,
} as const

export const SUBSCRIBE_UPDATE_TRANSACTION_STATUS = {
  slot: 8,
  signature: 18,
  isVote: 24,
  index: 32,
  err: 42,
} as const

export const SUBSCRIBE_UPDATE_BLOCK_META = {
  slot: 8,
  blockhash: 18,
  blockTime: 34,
  parentSlot: 48,
  parentBlockhash: 58,
  executedTransactionCount: 64,
} as const

export const TRANSACTION = {
  signatures: 10,
  message: 18,
} as const

export const MESSAGE = {
  header: 10,
  accountKeys: 18,
  instructions: 34,
} as const

export const MESSAGE_HEADER = {
  numRequiredSignatures: 8,
} as const

export const TRANSACTION_STATUS_META = {
  err: 10,
  innerInstructions: 42,
  logMessages: 50,
  preTokenBalances: 58,
  postTokenBalances: 66,
  innerInstructionsNone: 80,
  logMessagesNone: 88,
  loadedWritableAddresses: 98,
  loadedReadonlyAddresses: 106,
} as const

export const INNER_INSTRUCTIONS = {
  index: 8,
  instructions: 18,
} as const

export const INNER_INSTRUCTION = {
  programIdIndex: 8,
  accounts: 18,
  data: 26,
  stackHeight: 32,
} as const

export const TOKEN_BALANCE = {
  accountIndex: 8,
  mint: 18,
  uiTokenAmount: 26,
  owner: 34,
} as const

export const UI_TOKEN_AMOUNT = {
  decimals: 16,
  amount: 26,
} as const

export const UNIX_TIMESTAMP = {
  timestamp: 8,
} as const
