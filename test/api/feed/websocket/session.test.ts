/** One client's session, without a socket: how many requests it may send, and when it is closed for more. Pure. */
import test from 'ava'
import { LatestSubscription } from '../../../../api/feed/latest/subscription.ts'
import { LatestValues } from '../../../../api/feed/latest/values.ts'
import { type Effect, Session } from '../../../../api/feed/websocket/session.ts'
import { TREND_WINDOWS } from '../../../../domain/ranking.ts'
import { SILENT } from '../../../support/api/api-under-test.ts'

function newSession(): Session {
  const state = () => ({ epoch: 'e', first: 1, head: 0 })
  return new Session({ tier: 'free', subscriptionsMax: 10, state, expectRoom() {} })
}

const PING = JSON.stringify({ op: 'ping' })
/** Codes of the answers to so many concurrent pings. */
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

test('refuses a request beyond the limit by its id', (t) => {
  const session = newSession()
  pinged(session, 100, 1_000)
  const [effect] = session.receive(JSON.stringify({ op: 'ping', id: 'mine' }), 1_000)
  t.like(effect, { kind: 'send', frame: { type: 'error', id: 'mine', code: 'RATE_LIMITED' } })
  const [nameless] = session.receive('{', 1_000)
  t.like(nameless, { kind: 'send', frame: { type: 'error', code: 'RATE_LIMITED' } })
})

test('does not add up refusals that lie far apart when it decides to close a client', (t) => {
  const session = newSession()
  for (let hour = 1; hour <= 20; hour++) {
    t.deepEqual(pinged(session, 250, hour * 3_600_000), { pong: 100, error: 150 })
  }
})

const RANKINGS_MAX = 300

/** A session that applies its effects on latest values. */
function withValues(values: LatestValues) {
  const state = () => ({ epoch: 'e', first: 1, head: 0 })
  const expectRoom: LatestValues['expectRoom'] = (...requested) => values.expectRoom(...requested)
  const session = new Session({ tier: 'enterprise', subscriptionsMax: 1_000, state, expectRoom })
  return (request: object): Effect[] => {
    const effects = session.receive(JSON.stringify(request), 1_000)
    for (const effect of effects) {
      if (effect.kind !== 'watch' && effect.kind !== 'change') continue
      if (effect.subscription instanceof LatestSubscription) {
        values.watch(effect.subscription, () => {})
      }
    }
    return effects
  }
}

test('a process with the maximum of latest values shares the existing ones', async (t) => {
  const run = () => new Promise<never>(() => {})
  const values = new LatestValues({ hub: {}, reader: { run }, log: SILENT } as never)
  const sessions = Array.from({ length: 4 }, () => withValues(values))
  const [one, other] = sessions as [(typeof sessions)[0], (typeof sessions)[0]]
  const subscribe = (n: number, name = `${n}`) => {
    const filter = {
      board: 'trending',
      window: TREND_WINDOWS[Math.floor(n / 100)],
      include_score: n % 100 < 50,
      limit: 1 + (n % 50),
    }
    return { op: 'subscribe', id: 7, sub: name, channel: 'rankings', filter }
  }
  for (let n = 0; n < RANKINGS_MAX; n++) {
    const [effect] = sessions[n % 4]!(subscribe(n))
    t.is(effect?.kind, 'watch')
  }
  const refusal = { type: 'error', code: 'UNAVAILABLE', id: 7 }
  t.like(one(subscribe(RANKINGS_MAX, 'new')), [{ kind: 'send', frame: { ...refusal, sub: 'new' } }])
  t.like(one(subscribe(1, 'old')), [{ kind: 'watch' }])
  // Another client shares the old value, so that a new one would exceed the maximum.
  const update = (sub: string, n: number) => {
    const { id, filter } = subscribe(n, sub)
    return { op: 'update', id, sub, filter }
  }
  t.like(one(update('old', RANKINGS_MAX)), [{ kind: 'send', frame: { ...refusal, sub: 'old' } }])
  const listed = one({ op: 'list' }).at(-1)
  const { subs } = (listed as unknown as { frame: { subs: object[] } }).frame
  t.like(subs.at(-1), { sub: 'old', filter: { limit: 2 } })
  t.like(one(update('old', 5)), [{ frame: { type: 'updated', id: 7 } }, { kind: 'change' }])
  // A value that only it has makes room for another.
  t.like(other(update('41', RANKINGS_MAX)), [{ frame: { type: 'updated' } }, { kind: 'change' }])
})
