/**
 * One subscription of latest values: the values it watches, the versions that were sent, and the frames to send. Pure.
 *
 * Invariants: the snapshot contains each value as REST returns it, read after the subscription began, so that a client
 * that called REST before gets nothing older. The last version of each value is eventually sent; versions that are
 * overwritten while they wait are not. Only names are queued, so the queue is bounded by the filter.
 */
import { asciiText, EVENTS_BYTES_MAX, FRAME_EVENTS_MAX, type Int64Form } from '../frame.ts'
import type { Subject, WantedValues } from './filter.ts'
import type { LatestChannel } from './schema.ts'
import type { LatestValue, Sent } from './value.ts'

type Wanted = {
  name: string
  channel: LatestChannel
  wanted: WantedValues
  form: Int64Form
  batchMs: number
}

/** The current values, and the cursor up to which all of the given ones are current. */
export type Values = {
  valueOf(name: string): LatestValue | undefined
  /** null: unknown. */
  cursorOf(names: Iterable<string>): string | null
}

const NOTHING: { texts: string[]; sent?: Sent } = { texts: [] }

export class LatestSubscription {
  readonly name: string
  readonly channel: LatestChannel
  readonly batchMs: number
  readonly isReplay = false
  readonly locked: string[] = []
  ignored: string[] = []
  shownFilter = ''
  subjects: ReadonlyMap<string, Subject> = new Map()
  /** Items of data frames sent so far. */
  n = 0
  private readonly form: Int64Form
  private readonly head: string
  private sentCursor: string | null = null
  /** Names not yet in the snapshot; undefined: the snapshot was sent. */
  private lacking: Set<string> | undefined
  /** Names of values that changed since they were sent. */
  private readonly waiting = new Set<string>()
  /** Version sent, by value name. */
  private readonly sent = new Map<string, Sent>()
  /** Only reads after this number may be in the snapshot: REST may have returned newer values than earlier reads. */
  private readAfter = 0

  constructor({ name, channel, wanted, form, batchMs }: Wanted) {
    this.name = name
    this.channel = channel
    this.form = form
    this.batchMs = batchMs
    this.head = `"sub":${asciiText(name)},"channel":"${channel}"`
    this.filter(wanted)
  }

  /** Restarts with a snapshot of other values. */
  filter({ subjects, shown, ignored }: WantedValues): void {
    this.subjects = subjects
    this.shownFilter = JSON.stringify(shown)
    this.ignored = ignored
    this.lacking = new Set(subjects.keys())
    this.waiting.clear()
    this.sent.clear()
  }

  /** Cursor of the newest frame. */
  cursor(): string | null {
    return this.sentCursor
  }

  get hasSnapshot(): boolean {
    return this.lacking === undefined
  }

  /** Only later reads than this one may be in the snapshot. */
  beginAfter(readNumber: number): void {
    this.readAfter = readNumber
  }

  /** A value was read, and may have a new version. Returns whether there may be frames to send. */
  note(name: string, isChanged: boolean): boolean {
    if (this.lacking?.has(name) === true) return true
    if (isChanged) this.waiting.add(name)
    return isChanged
  }

  /** Frames to send now. The consumer may stop after any of them: the rest stays queued. */
  *frames(values: Values): Generator<string, void, undefined> {
    const { lacking } = this
    if (lacking !== undefined) {
      for (const name of lacking) {
        if ((values.valueOf(name)?.readNumber ?? 0) <= this.readAfter) return
      }
      do {
        const { text } = this.take(lacking, values)
        const isFinal = lacking.size === 0
        if (isFinal) this.lacking = undefined
        const rest = `"cursor":${this.cursorText(values)},"data":[${text}],"final":${isFinal}`
        yield `{"type":"snapshot",${this.head},${rest}}`
      } while (lacking.size > 0 && this.lacking === lacking)
    }
    while (this.waiting.size > 0 && this.hasSnapshot) {
      const { n } = this
      const { text, count } = this.take(this.waiting, values)
      if (count === 0) continue
      this.n += count
      yield `{"type":"data",${this.head},"n":${n},"cursor":${this.cursorText(values)},"data":[${text}]}`
    }
  }

  private cursorText(values: Values): string {
    this.sentCursor = values.cursorOf(this.subjects.keys())
    return this.sentCursor === null ? 'null' : `"${this.sentCursor}"`
  }

  /** Removes as many names as fit a frame, and returns their items. */
  private take(names: Set<string>, values: Values): { text: string; count: number } {
    let text = ''
    let count = 0
    let bytes = 0
    for (const name of names) {
      const value = values.valueOf(name)
      const { texts, sent } = value?.textsSince(this.sent.get(name), this.form) ?? NOTHING
      const more = texts.reduce((sum, each) => sum + Buffer.byteLength(each) + 1, 0)
      const isFull = bytes + more > EVENTS_BYTES_MAX || count + texts.length > FRAME_EVENTS_MAX
      if (count > 0 && isFull) break
      names.delete(name)
      if (sent !== undefined) this.sent.set(name, sent)
      for (const each of texts) text += text === '' ? each : `,${each}`
      bytes += more
      count += texts.length
    }
    return { text, count }
  }
}
