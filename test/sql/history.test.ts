/** Databases that count as gone back in time, and those that do not. */
import test from 'ava'
import { History, HistoryLost, historyAt, type Sighting } from '../../sql/history.ts'

const seen = (over: Partial<Sighting> = {}): Sighting => ({
  ...{ system_identifier: '7300000000000000001', timeline: 2, flushed: 1_000 },
  ...over,
})

const CASES: readonly [what: string, next: Sighting, lost?: RegExp][] = [
  ['the same end', seen()],
  ['a later end', seen({ flushed: 1_001 })],
  ['an end beyond a double', seen({ flushed: 2n ** 60n })],
  ['a later timeline with everything', seen({ timeline: 3, flushed: 1_000 })],
  ['a standby, which has no end of its own', seen({ flushed: null })],
  ['an earlier end', seen({ flushed: 999 }), /its log ends at 999, expected 1000 or more/],
  ['a later timeline that lacks some', seen({ timeline: 3, flushed: 999 }), /its log ends at 999/],
  ['an earlier timeline', seen({ timeline: 1, flushed: 2_000 }), /timeline is 1, expected 2/],
  ['another server', seen({ system_identifier: '8' }), /different database: .* "8", expected "73/],
]

for (const [what, next, lost] of CASES) {
  test(`a restarted server: ${what}`, (t) => {
    const history = new History()
    history.see(seen(), history.known())
    const reported: HistoryLost[] = []
    history.onLost((loss) => reported.push(loss))
    const look = () => history.see(next, history.known())
    if (lost === undefined) {
      t.notThrows(look)
      t.deepEqual(reported, [])
      return
    }
    const failure = t.throws(look, { instanceOf: HistoryLost, message: lost })
    t.deepEqual(reported, [failure])
    // For ever, whatever the server reports afterwards; later subscribers are notified as well.
    t.is(
      t.throws(() => history.see(seen({ flushed: 5_000 }), history.known())),
      failure,
    )
    history.onLost((loss) => reported.push(loss))
    t.deepEqual(reported, [failure, failure])
  })
}

test('answers of several connections that arrive in another order are no step back', (t) => {
  const history = new History()
  const known = history.known()
  history.see(seen({ flushed: 2_000 }), history.known())
  t.notThrows(() => history.note(1_000, known))
  t.throws(() => history.note(1_999, history.known()), { instanceOf: HistoryLost })
})

test('pools of one database share its history, even with different settings in their addresses', (t) => {
  const one = historyAt('postgres://a:b@host:5432/one')
  t.is(historyAt('postgres://a:b@host:5432/one?options=-c%20jit%3Doff'), one)
  t.not(historyAt('postgres://a:b@host:5432/two'), one)
  t.not(historyAt('postgres://a:b@host:5433/one'), one)
})
