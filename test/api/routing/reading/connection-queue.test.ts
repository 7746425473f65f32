// A queue of one or two connections on a fake clock: the order of waiters, and that no slot is lost or granted twice.

import test from 'ava'
import {
  ConnectionQueue,
  type QueueSlot,
} from '../../../../api/routing/reading/connection-queue.ts'

const ORDERLY_MS = 100

function line(places = 1) {
  let nowMs = 0
  const turns = new ConnectionQueue({ places, orderlyMs: ORDERLY_MS, now: () => nowMs })
  const served: string[] = []
  return {
    served,
    pass: (ms: number) => {
      nowMs += ms
    },
    take(name: string): QueueSlot {
      const turn = turns.take()
      if (turn.comes === undefined) served.push(name)
      turn.comes?.then(() => served.push(name))
      return turn
    },
  }
}

/** After pending promises have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Releases granted slots one by one, until all of the names were served. */
async function endInTurn(turns: Map<string, QueueSlot>, served: readonly string[]): Promise<void> {
  for (let place = 0; place < served.length; place += 1) {
    turns.get(served[place] as string)?.end()
    await settled()
  }
}

test('grants free connections at once, and the others in order', async (t) => {
  const { take, served } = line(2)
  const turns = new Map([...'abcdef'].map((name) => [name, take(name)]))
  t.deepEqual(served, ['a', 'b'])
  await settled()
  t.deepEqual(served, ['a', 'b'], 'there are two places')
  await endInTurn(turns, served)
  t.is(served.join(''), 'abcdef')
  t.deepEqual([take('g').comes, take('h').comes], [undefined, undefined], 'both are free again')
  t.not(take('i').comes, undefined)
})

test('once a request has waited too long serves the newest first, until the queue is empty', async (t) => {
  const { take, served, pass } = line()
  const turns = new Map([...'abcd'].map((name) => [name, take(name)]))
  pass(ORDERLY_MS)
  turns.get('a')?.end()
  await settled()
  t.is(served.join(''), 'ab', 'not yet')
  pass(1)
  turns.set('e', take('e'))
  turns.get('b')?.end()
  await settled()
  t.is(served.join(''), 'abe')
  turns.set('f', take('f'))
  await endInTurn(turns, served)
  t.is(served.join(''), 'abefdc')
  for (const name of 'xyz') turns.set(name, take(name))
  await endInTurn(turns, served)
  t.is(served.join(''), 'abefdcxyz', 'in order again')
})

test('skips a waiter that left the queue, and does not lose its connection', async (t) => {
  const { take, served, pass } = line()
  const turns = new Map([...'abcd'].map((name) => [name, take(name)]))
  turns.get('b')?.end()
  turns.get('b')?.end()
  turns.get('a')?.end()
  turns.get('a')?.end()
  await settled()
  t.is(served.join(''), 'ac', 'one place, however often it is given back')
  pass(ORDERLY_MS + 1)
  turns.get('c')?.end()
  turns.get('d')?.end()
  await settled()
  t.is(served.join(''), 'acd', 'its turn had come before it left')
  t.is(take('e').comes, undefined)
  take('f')
  const left = take('g')
  pass(ORDERLY_MS + 1)
  take('h')
  left.end()
  t.is(served.join(''), 'acde')
})

test('serves in order again when all overdue requests have left', async (t) => {
  const { take, served, pass } = line()
  const turns = new Map([...'abcd'].map((name) => [name, take(name)]))
  pass(ORDERLY_MS + 1)
  turns.get('a')?.end()
  await settled()
  t.is(served.join(''), 'ad')
  for (const name of 'bc') turns.get(name)?.end()
  for (const name of 'ef') turns.set(name, take(name))
  await endInTurn(turns, served)
  t.is(served.join(''), 'adef')
})
