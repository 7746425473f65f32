/** Whether messages of a stream follow on each other: finds all lost messages, and no others. */
import test from 'ava'
import fc from 'fast-check'
import {
  PREVIOUS_HEADER,
  PREVIOUS_SLOTS_HEADER,
  previousSlotsOf,
  SubjectChain,
  writePreviousSlots,
} from '../../../streams/nats/subject-chain.ts'

type Message = { subject: string; sequence: number; header(name: string): string | undefined }

/** A stream as its publishers left it: each message names the one before it on its subject. */
function stream(subjects: readonly number[]): Message[] {
  const newest = new Map<string, number>()
  return subjects.map((each, index) => {
    const subject = `feed.${each}`
    const previous = `${newest.get(subject) ?? 0}`
    newest.set(subject, index + 1)
    const header = (name: string) => (name === PREVIOUS_HEADER ? previous : undefined)
    return { subject, sequence: index + 1, header }
  })
}

const subjects = fc.array(fc.nat(4), { minLength: 1, maxLength: 80 })

test('a reader from the start finds each run of lost messages that another of its subject follows, once', (t) => {
  fc.assert(
    fc.property(subjects, fc.array(fc.nat(79), { maxLength: 20 }), (given, lostAt) => {
      const messages = stream(given)
      const lost = new Set(lostAt.map((at) => at + 1))
      const chain = new SubjectChain()
      const found = messages
        .filter(({ sequence }) => !lost.has(sequence))
        // Every message is delivered twice, the second time after its successor.
        .flatMap((message) => [message, message])
        .flatMap((message) => chain.note(message) ?? [])
      const expected = messages.flatMap(({ subject, sequence }, index) => {
        const next = messages.slice(index + 1).find((each) => each.subject === subject)
        return lost.has(sequence) && next !== undefined && !lost.has(next.sequence)
          ? [sequence]
          : []
      })
      t.deepEqual(
        found.map(({ previous }) => previous).sort((a, b) => a - b),
        expected,
      )
    }),
  )
})

test('judges an undone message again, and ignores messages of other publishers', (t) => {
  const [first, lost, next] = stream([1, 1, 1]) as [Message, Message, Message]
  const chain = new SubjectChain()
  t.is(chain.note(first), undefined)
  const link = chain.note(next)
  t.like(link, { previous: lost.sequence, read: first.sequence })
  t.is(chain.note(next), undefined)
  chain.undo(link!)
  t.deepEqual(chain.note(next), link)
  t.is(chain.note({ ...next, sequence: 9, header: () => undefined }), undefined)
  t.deepEqual(chain.firstsOf([first, { ...first, subject: 'feed.2' }]).length, 1)
})

test('round-trips commit and slots of a predecessor, and parses no other text', (t) => {
  const read = (text: string) =>
    previousSlotsOf({ header: (name) => (name === PREVIOUS_SLOTS_HEADER ? text : undefined) })
  const given = { commitNumber: 12, slots: [300_000_000, 300_000_007] as const }
  t.deepEqual(read(writePreviousSlots(given)), given)
  for (const text of ['', '1', '1 2', '1 2-', 'a 1-2', '1 2-3 4']) t.is(read(text), undefined, text)
})
