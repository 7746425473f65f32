/** One client's session, without a socket: how many requests it may send, and when it is closed for more. Pure. */
import test from 'ava'
import { Session } from '../../../api/feed/session.ts'

function newSession(): Session {
  const state = () => ({ epoch: 'e', first: 1, head: 0 })
  return new Session({ tier: 'free', subscriptionsMax: 10, state })
}

const PING = JSON.stringify({ op: 'ping' })
/** Codes of what so many pings at once lead to. */
function pinged(session: Session, count: number, nowMs: number): Record<string, number> {
  const outcomes: Record<string, number> = {}
  for (let number = 0; number < count; number++) {
    for (const effect of session.receive(PING, nowMs)) {
      const name = effect.kind === 'send' ? effect.frame.type : effect.kind
      outcomes[name] = (outcomes[name] ?? 0) + 1
    }
  }
  return outcomes
}

test('a hundred requests at once and twenty a second are let in; at the 200th refusal it ends', (t) => {
  const session = newSession()
  t.deepEqual(pinged(session, 100, 1_000), { pong: 100 })
  t.deepEqual(pinged(session, 21, 2_000), { pong: 20, error: 1 })
  t.deepEqual(pinged(session, 198, 2_000), { error: 198 })
  t.deepEqual(pinged(session, 1, 2_000), { error: 1, close: 1 })
})

test('a request that is one too many is refused by its own id', (t) => {
  const session = newSession()
  pinged(session, 100, 1_000)
  const [effect] = session.receive(JSON.stringify({ op: 'ping', id: 'mine' }), 1_000)
  t.like(effect, { kind: 'send', frame: { type: 'error', id: 'mine', code: 'RATE_LIMITED' } })
  const [nameless] = session.receive('{', 1_000)
  t.like(nameless, { kind: 'send', frame: { type: 'error', code: 'RATE_LIMITED' } })
})

test('who is refused now and then, with rest between, is never closed for the sum', (t) => {
  const session = newSession()
  for (let hour = 1; hour <= 20; hour++) {
    t.deepEqual(pinged(session, 250, hour * 3_600_000), { pong: 100, error: 150 })
  }
})
