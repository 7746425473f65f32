/**
 * Decodes messages of SWAP into the arrivals of a batch. An event that does not decode, or breaks a rule of the ingest
 * contract, is a dead letter.
 */
import type { Retraction } from '../../../domain/events/retraction.ts'
import type { Token } from '../../../domain/events/token.ts'
import type { Log } from '../../../domain/log.ts'
import {
  decodeEventBatch,
  encodeAsItCame,
  type WireEvent,
} from '../../../streams/codec/event-codec.ts'
import { WireError } from '../../../streams/codec/protobuf.ts'
import { checkEvent, mendSwap, mendToken } from '../../../streams/ingest/contract.ts'
import { RUN_HEADER } from '../../../streams/ingest/publisher.ts'
import { explainRefusal, type Refusal } from '../../../streams/ingest/refusal.ts'
import type { StoredMessage } from '../../../streams/nats/jetstream.ts'
import { laneOfSubject } from '../../../streams/nats/subject.ts'
import type { DeadLetter } from '../../runtime/dead-letter.ts'
import type { Conflict } from './contradiction.ts'
import { RunCounts } from './run-counts.ts'

/** Names of runs: `ingest` gives random ones, tools of others theirs. */
const RUN = /^[\x21-\x7e]{1,200}$/

export type Arrival<Kind extends WireEvent['kind']> = {
  event: Extract<WireEvent, { kind: Kind }>
  run: string | undefined
}

export type Arrivals = {
  swaps: Arrival<'swap'>[]
  poolEvents: Arrival<'pool_event'>[]
  tokens: Token[]
  retractions: Retraction[]
  deadLetters: DeadLetter[]
  conflicts: Conflict[]
  runs: RunCounts
  /** Events that are left out because their blocks were retracted. */
  retractedCount: number
}

export const noArrivals = (): Arrivals => ({
  swaps: [],
  poolEvents: [],
  tokens: [],
  retractions: [],
  deadLetters: [],
  conflicts: [],
  runs: new RunCounts(),
  retractedCount: 0,
})

/** The reason why a retraction is refused, if it is. */
type JudgeRetraction = (retraction: Retraction) => Promise<string | undefined>

export async function decodeArrivals(
  messages: readonly StoredMessage[],
  log: Log,
  judge: JudgeRetraction,
): Promise<Arrivals> {
  const arrivals = noArrivals()
  for (const message of messages) {
    for (const refused of await decodeMessage(message, arrivals, log, judge)) {
      const { sequence, subject } = message
      arrivals.deadLetters.push({ sequence, subject, ...refused })
      arrivals.runs.count(runOf(message), 'dead')
    }
  }
  return arrivals
}

type Refused = Pick<DeadLetter, 'part' | 'reason' | 'payload'>

/** Adds the events of a message to the arrivals; resolves to those that are refused and that this lane is to report. */
async function decodeMessage(
  message: StoredMessage,
  arrivals: Arrivals,
  log: Log,
  judge: JudgeRetraction,
): Promise<Refused[]> {
  const run = runOf(message)
  // Every lane reads a retraction, and one counts it or stores its refusal.
  const isFirstLane = laneOfSubject(message.subject) === 0
  let events: WireEvent[]
  try {
    events = decodeEventBatch(message.payload)
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return [{ part: 0, reason: `does not parse: ${error.message}`, payload: message.payload }]
  }
  const refused: Refused[] = []
  for (const [part, came] of events.entries()) {
    const event = withoutBadFields(came, message, log)
    const refusal = checkEvent(event)
    const reason =
      refusal === undefined && event.kind === 'retract'
        ? await judge(event.retraction)
        : refusal && explainRefusal(refusal)
    if (reason !== undefined) {
      if (event.kind === 'retract' && !isFirstLane) continue
      refused.push({ part, reason, payload: encodeAsItCame(came) })
    } else if (event.kind === 'swap') arrivals.swaps.push({ event, run })
    else if (event.kind === 'pool_event') arrivals.poolEvents.push({ event, run })
    else if (event.kind === 'token') {
      arrivals.tokens.push(event.token)
      arrivals.runs.count(run, 'other')
    } else {
      arrivals.retractions.push(event.retraction)
      if (isFirstLane) arrivals.runs.count(run, 'other')
    }
  }
  return refused
}

/** Another program than ours may have written the message: lines count as `ingest` lets them in. */
function withoutBadFields(event: WireEvent, message: StoredMessage, log: Log): WireEvent {
  if (event.kind === 'pool_event' || event.kind === 'retract') return event
  if (event.kind === 'swap') {
    const { swap, warnings } = mendSwap(event.swap)
    if (warnings.length === 0) return event
    logIgnored(log, message, { signature: swap.signature }, warnings)
    return { ...event, swap }
  }
  const { token, warnings } = mendToken(event.token)
  const { tokenAddress } = event.token
  if (warnings.length > 0) logIgnored(log, message, { tokenAddress }, warnings)
  return { ...event, token }
}

function logIgnored(
  log: Log,
  { sequence }: StoredMessage,
  of: { signature: string } | { tokenAddress: string },
  warnings: readonly Refusal[],
): void {
  log.warn(
    { sequence, ...of, fields: warnings.map(explainRefusal) },
    'ignored invalid fields of event',
  )
}

/** Other publishers may set the header too: a value that is not the name of a run is ignored. */
function runOf(message: StoredMessage): string | undefined {
  const run = message.header(RUN_HEADER)
  return run !== undefined && RUN.test(run) ? run : undefined
}
