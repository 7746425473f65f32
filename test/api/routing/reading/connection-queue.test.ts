// A queue of one or two connections on a fake clock: the order of waiters, and that no slot is lost or granted twice.

import test from 'ava'
import {
  ConnectionQueue,
  type QueueSlot,
} from '../../../../api/routing/reading/connection-queue.ts'

const ORDERLY_MS = 100

function line(connections = 1) {
  let nowMs = 0
  const queue = new ConnectionQueue({ connections, orderlyMs: ORDERLY_MS, now: () => nowMs })
  const served: string[] = []
  return {
    served,
    pass: (ms: number) => {
      nowMs += ms
    },
    take(name: string): QueueSlot {
      const waiter = queue.take()
      if (waiter.comes === undefined) served.push(name)
      waiter.comes?.then(() => served.push(name))
      return waiter
    },
  }
}

/** After pending promises have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Releases granted slots one by one, until all of the names were served. */
async function endInRound(slots: Map<string, QueueSlot>, served: readonly string[]): Promise<void> {
  for (let index = 0; index < served.length; index += 1) {
    slots.get(served[index] as string)?.end()
    await settled()
  }
}

test('grants free connections at once, and the others in order', async (t) => {
  const { take, served } = line(2)
  const slots = new Map([...'abcdef'].map((name) => [name, take(name)]))
  t.deepEqual(served, ['a', 'b'])
  await settled()
  t.deepEqual(served, ['a', 'b'], 'there are two places')
  await endInRound(slots, served)
  t.is(served.join(''), 'abcdef')
  t.deepEqual([take('g').comes, take('h').comes], [undefined, undefined], 'both are free again')
  t.not(take('i').comes, undefined)
})

test('once a request has waited too long serves the newest first, until the queue is empty', async (t) => {
  const { take, served, pass } = line()
  const slots = new Map([...'abcd'].map((name) => [name, take(name)]))
  pass(ORDERLY_MS)
  slots.get('a')?.end()
  await settled()
  t.is(served.join(''), 'ab', 'not yet')
  pass(1)
  slots.set('e', take('e'))
  slots.get('b')?.end()
  await settled()
  t.is(served.join(''), 'abe')
  slots.set('f', take('f'))
  await endInRound(slots, served)
  t.is(served.join(''), 'abefdc')
  for (const name of 'xyz') slots.set(name, take(name))
  await endInRound(slots, served)
  t.is(served.join(''), 'abefdcxyz', 'in order again')
})

test('skips a waiter that left the queue, and does not lose its connection', async (t) => {
  const { take, served, pass } = line()
  const slots = new Map([...'abcd'].map((name) => [name, take(name)]))
  slots.get('b')?.end()
  slots.get('b')?.end()
  slots.get('a')?.end()
  slots.get('a')?.end()
  await settled()
  t.is(served.join(''), 'ac', 'one place, however often it is given back')
  pass(ORDERLY_MS + 1)
  slots.get('c')?.end()
  slots.get('d')?.end()
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
  const slots = new Map([...'abcd'].map((name) => [name, take(name)]))
  pass(ORDERLY_MS + 1)
  slots.get('a')?.end()
  await settled()
  t.is(served.join(''), 'ad')
  for (const name of 'bc') slots.get(name)?.end()
  for (const name of 'ef') slots.set(name, take(name))
  await endInRound(slots, served)
  t.is(served.join(''), 'adef')
})
