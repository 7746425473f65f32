// The API's cache of FEED, and the queue of readers of older messages. Pure.

import test from 'ava'
import { FeedBatch } from '../../../../api/feed/log/batch.ts'
import { LineIsFull, ReaderQueue } from '../../../../api/feed/log/reader-queue.ts'
import { Ring } from '../../../../api/feed/log/ring.ts'

test('caches the newest messages within its bytes, and at least one', (t) => {
  const ring = new Ring(100)
  t.is(ring.first, Number.POSITIVE_INFINITY)
  for (let sequence = 1; sequence <= 5_000; sequence++) {
    ring.push(new FeedBatch(sequence, new Uint8Array(10)))
  }
  t.is(ring.first, 4_991)
  t.is(ring.from(1)?.sequence, 4_991)
  t.is(ring.from(4_995)?.sequence, 4_995)
  t.is(ring.from(5_001), undefined)
  ring.push(new FeedBatch(5_001, new Uint8Array(1_000)))
  t.is(ring.first, 5_001)
  ring.clear()
  t.is(ring.first, Number.POSITIVE_INFINITY)
  t.is(ring.from(0), undefined)
})

test('a hole in the sequences is passed over', (t) => {
  const ring = new Ring(1_000)
  for (const sequence of [3, 4, 9]) ring.push(new FeedBatch(sequence, new Uint8Array(1)))
  t.is(ring.from(5)?.sequence, 9)
})

test('grants queue slots in order, releases each once, and refuses when full', async (t) => {
  const readers = new ReaderQueue(1, 2)
  const end = await readers.take()
  const came: string[] = []
  const second = readers.take().then((done) => {
    came.push('second')
    return done
  })
  const third = readers.take().then((done) => {
    came.push('third')
    return done
  })
  t.throws(() => readers.take(), { instanceOf: LineIsFull })
  end()
  end()
  const endSecond = await second
  t.deepEqual(came, ['second'])
  endSecond()
  const endThird = await third
  endThird()
  t.deepEqual(came, ['second', 'third'])
  const last = await readers.take()
  last()
})
