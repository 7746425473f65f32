/** Blocks of a node as CAR files hold them: transactions on the wire, results as protobuf packed by zstd. */
import { zstdCompressSync } from 'node:zlib'
import protobuf from 'protobufjs'
import { encodeBase58 } from '../../../../domain/numbers/base58.ts'
import { asGeyser } from '../forms.ts'
import { YELLOWSTONE_PROTO } from '../geyser/messages.ts'
import {
  FIRST_SLOT,
  type Json,
  recordedBlock,
  type ServedBlock,
  type ServedChain,
} from '../served-chain.ts'
import { wireBytesOf } from '../wire-form.ts'
import {
  type CarWriterOptions,
  sha256,
  type WrittenBlock,
  type WrittenCar,
  writeCar,
} from './car-writer.ts'

const StatusMeta = protobuf.loadSync(YELLOWSTONE_PROTO).lookupType('geyser.TransactionStatusMeta')

/** The result of a transaction as its bytes, unpacked. */
function metaBytes(meta: Json): Buffer {
  return Buffer.from(StatusMeta.encode(StatusMeta.fromObject(meta)).finish())
}

/** `change`: of a transaction's result before it is written. */
export function carBlockOf(
  slot: number,
  { blockhash, parentSlot, blockTime, transactions }: ServedBlock,
  change: (meta: Json, index: number) => Json = (meta) => meta,
): WrittenBlock {
  return {
    slot,
    parentSlot,
    blockhash,
    blockTime,
    transactions: transactions.map((entry, index) => ({
      message: wireBytesOf(entry),
      meta: zstdCompressSync(metaBytes(change(asGeyser(entry, index).meta as Json, index))),
    })),
  }
}

/** The blocks of a chain as one file. */
export function carOf({ blocks }: ServedChain, options: CarWriterOptions = {}): WrittenCar {
  return writeCar(blocksOf(blocks), options)
}

function* blocksOf(blocks: ServedChain['blocks']): Generator<WrittenBlock> {
  for (const [slot, block] of blocks) yield carBlockOf(slot, block)
}

/** A file whose blocks are the recorded one, each with so many votes more. */
export function carOfRecordedBlocks(count: number, votes: number): Buffer {
  const block = recordedBlock()
  const own = carBlockOf(FIRST_SLOT, block)
  const transactions = [
    ...own.transactions,
    ...Array.from({ length: votes }, (_, at) => voteOf(at)),
  ]
  const blocks = Array.from({ length: count }, (_, at) => ({
    ...own,
    slot: FIRST_SLOT + at,
    parentSlot: FIRST_SLOT + at - 1,
    transactions,
  }))
  return writeCar(blocks).bytes
}

/** A vote of its own signature. */
function voteOf(at: number): WrittenBlock['transactions'][number] {
  const key = (name: string): string => encodeBase58(sha256(Buffer.from(`${name} ${at}`)))
  const message = {
    header: {
      numRequiredSignatures: 1,
      numReadonlySignedAccounts: 0,
      numReadonlyUnsignedAccounts: 1,
    },
    accountKeys: [key('validator'), key('account'), VOTE_PROGRAM],
    recentBlockhash: key('blockhash'),
    instructions: [{ programIdIndex: 2, accounts: [1, 0], data: key('vote') + key('slots') }],
  }
  const signatures = [
    encodeBase58(Buffer.concat([sha256(Buffer.from(`${at}`)), Buffer.alloc(32, 7)])),
  ]
  const logMessages = [`Program ${VOTE_PROGRAM} invoke [1]`, `Program ${VOTE_PROGRAM} success`]
  return {
    message: wireBytesOf({ transaction: { signatures, message } }),
    meta: zstdCompressSync(metaBytes({ logMessages })),
  }
}

const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111'
