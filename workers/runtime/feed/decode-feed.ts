/**
 * Decodes messages of FEED for a lane: each is decoded, or a dead letter. A foreign message may parse all the
 * same; but it names no wallet and no mint that was interned, as all are before they are published.
 */
import type { Db } from '../../../sql/db.ts'
import { WireError } from '../../../streams/codec/protobuf.ts'
import { quoted } from '../../../streams/ingest/refusal.ts'
import type { StoredMessage } from '../../../streams/nats/jetstream.ts'
import { confirmsEnd } from '../../../streams/nats/subject.ts'
import type { DeadLetter } from '../dead-letter.ts'
import { learnIds, type Named } from '../ids/address-ids.ts'

type Decoded<Trade> = {
  /** Trades by message, in their order; none of a dead letter. */
  trades: (readonly Trade[])[]
  deadLetters: DeadLetter[]
}

const NOTHING: readonly never[] = []

/** `decode` throws WireError. All decoded trades have their ids afterwards. */
export async function decodeFeed<Trade extends Named>(
  db: Db,
  messages: readonly StoredMessage[],
  decode: (message: StoredMessage) => Trade[],
): Promise<Decoded<Trade>> {
  const deadLetters: DeadLetter[] = []
  const refuse = ({ sequence, subject, payload }: StoredMessage, reason: string) => {
    deadLetters.push({ sequence, part: 0, subject, reason, payload })
    return NOTHING
  }
  const trades = messages.map((message) => {
    if (confirmsEnd(message.subject)) return NOTHING
    try {
      return decode(message)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      return refuse(message, `does not parse: ${error.message}`)
    }
  })
  const strangers = await learnIds(db, trades.flat())
  if (strangers.size === 0) return { trades, deadLetters }
  const known = trades.map((of, at) => {
    const stranger = of
      .flatMap(({ user, mint }) => [user, mint])
      .find((name) => strangers.has(name))
    return stranger === undefined
      ? of
      : refuse(messages[at]!, `address is not interned: ${quoted(stranger.text)}`)
  })
  return { trades: known, deadLetters }
}
