/**
 * Whether the messages of a stream follow on each other, subject by subject. Pure.
 *
 * Law: each message of FEED names the sequence of the message before it on its subject. The publisher expects that
 * sequence (feed-publisher.ts), and JetStream stores a message only where it matches, with the sequence in the headers;
 * so the chain is exact whatever crashed, and a duplicate that JetStream dropped is no link. Messages of another
 * publisher name none, and are not checked.
 */

export const PREVIOUS_HEADER = 'Nats-Expected-Last-Subject-Sequence'

type Named = { subject: string; sequence: number; header(name: string): string | undefined }

/** A message that names another predecessor than the message that was read before it on its subject. */
export type BrokenLink = {
  subject: string
  sequence: number
  /** The predecessor that it names. */
  previous: number
  /** The newest message read before it on its subject; undefined: none yet. */
  read: number | undefined
}

/** The sequence that a message names as its predecessor; 0: it is the first of its subject; undefined: it names none. */
export function previousOf(message: Pick<Named, 'header'>): number | undefined {
  const text = message.header(PREVIOUS_HEADER)
  return text === undefined ? undefined : Number(text)
}

export class SubjectChain {
  private readonly newest = new Map<string, number>()

  /** The next message that was read. A message that comes again is no broken link. */
  note(message: Named): BrokenLink | undefined {
    const { subject, sequence } = message
    const read = this.newest.get(subject)
    if (read !== undefined && sequence <= read) return undefined
    this.newest.set(subject, sequence)
    const previous = previousOf(message) ?? 0
    return previous <= (read ?? 0) ? undefined : { subject, sequence, previous, read }
  }

  /** The message of a broken link counts as not read: it will come again. */
  undo({ subject, read }: BrokenLink): void {
    if (read === undefined) this.newest.delete(subject)
    else this.newest.set(subject, read)
  }

  /** The first of these messages for each subject that was not read yet. */
  firstsOf<Message extends Named>(messages: readonly Message[]): Message[] {
    const firsts = new Map<string, Message>()
    for (const message of messages) {
      const isNew = !this.newest.has(message.subject) && !firsts.has(message.subject)
      if (isNew) firsts.set(message.subject, message)
    }
    return [...firsts.values()]
  }

  clear(): void {
    this.newest.clear()
  }
}

/** Header of a FEED message with the commit and slots of its predecessor, for readers that lack it. */
export const PREVIOUS_SLOTS_HEADER = 'Swaptide-Previous'

type PreviousSlots = { commitNumber: number; slots: readonly [number, number] }

export function writePreviousSlots({ commitNumber, slots }: PreviousSlots): string {
  return `${commitNumber} ${slots[0]}-${slots[1]}`
}

export function previousSlotsOf(message: Pick<Named, 'header'>): PreviousSlots | undefined {
  const match = /^(\d+) (\d+)-(\d+)$/.exec(message.header(PREVIOUS_SLOTS_HEADER) ?? '')
  if (match === null) return undefined
  return { commitNumber: Number(match[1]), slots: [Number(match[2]), Number(match[3])] }
}
