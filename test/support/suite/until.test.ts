/** Waiting for a state: through errors that pass, up to a bound, and not through others. */
import test from 'ava'
import { ConnectionCut } from '../../../streams/nats/publish-ack.ts'
import { until } from '../workers/pipeline.ts'

const BOUND_MS = 60_000
const OVER_MS = 0
const refused = (code: string): Error => Object.assign(new Error(`refused: ${code}`), { code })

test('waits through answers of servers that pass by themselves', async (t) => {
  const answers: (Error | boolean)[] = [
    new ConnectionCut('no leader'),
    refused('57P03'),
    refused('ECONNREFUSED'),
    new TypeError('fetch failed', { cause: refused('ECONNRESET') }),
    false,
    true,
  ]
  await until('it is true', BOUND_MS, () => {
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer === true
  })
  t.deepEqual(answers, [])
})

test('rejects at once for an error that does not pass', async (t) => {
  for (const error of [new TypeError('undefined is not a stream'), refused('23505')]) {
    const waiting = until('it is true', BOUND_MS, () => Promise.reject(error))
    t.is(await t.throwsAsync(waiting), error)
  }
})

test('names what did not come, and the last error', async (t) => {
  const waiting = until('a leader is there', OVER_MS, () =>
    Promise.reject(new ConnectionCut('cut')),
  )
  await t.throwsAsync(waiting, { message: 'not within 0 ms: a leader is there: Error: cut' })
})
