/** How a process is signalled to end, and closes its resources. */
import { EventEmitter } from 'node:events'
import test from 'ava'
import { createClosers, endSignal, untilAborted } from '../../deploy/shutdown.ts'

test('each signal and the end of the parent start a shutdown once', async (t) => {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
    const source = new EventEmitter()
    const signal = endSignal(source as NodeJS.Process)
    t.false(signal.aborted)
    source.emit(name)
    t.true(signal.aborted)
    const { reason } = signal
    source.emit('SIGINT')
    t.is(signal.reason, reason)
    await untilAborted(signal)
  }
})

test('a parent that ended before the start of listening causes a shutdown at once', (t) => {
  const signalOf = (channel: object) =>
    endSignal(Object.assign(new EventEmitter(), channel) as NodeJS.Process)
  t.false(signalOf({ send: () => true, connected: true }).aborted)
  const { aborted, reason } = signalOf({ send: () => true, connected: false })
  t.deepEqual([aborted, reason], [true, 'parent'])
  // Started from a terminal, without a channel.
  t.false(signalOf({ connected: false }).aborted)
})

test('closes resources in reverse order of opening', async (t) => {
  const closed: string[] = []
  const closers = createClosers(() => t.fail())
  for (const name of ['servers', 'database', 'API']) closers.add(name, () => closed.push(name))
  await closers.closeAll()
  await closers.closeAll()
  t.deepEqual(closed, ['API', 'database', 'servers'])
})

test('a step that fails or hangs is reported and the others are closed all the same', async (t) => {
  const reported: string[] = []
  const closed: string[] = []
  const closers = createClosers((name, error) => reported.push(`${name}: ${error}`), 20)
  closers.add('first', () => closed.push('first'))
  closers.add('hanging', () => new Promise(() => {}))
  closers.add('failing', async () => {
    throw new Error('broken pipe')
  })
  await closers.closeAll()
  t.deepEqual(reported, ['failing: Error: broken pipe', 'hanging: Error: not done within 0.02 s'])
  t.deepEqual(closed, ['first'])
})
