/** Parts that create streams at once agree on an epoch, by given answers of the nodes: how long they wait for which. */
import test from 'ava'
import { agreedOn } from '../../../streams/nats/replicas.ts'

type Known = { epoch: string }

/** Reads that bring these answers, one after the other, and the last one from then on. */
function answering(answers: readonly (string | undefined)[]): () => Promise<Known | undefined> {
  let reads = 0
  return async () => {
    const epoch = answers[Math.min(reads++, answers.length - 1)]
    return epoch === undefined ? undefined : { epoch }
  }
}

test('waits for a stream that is deleted and created again, however long a leader takes', async (t) => {
  const absent = Array<undefined>(60).fill(undefined)
  const agreed = await agreedOn({ epoch: 'a' }, answering([...absent, 'b']))
  t.deepEqual(agreed, { epoch: 'b' })
})

test('returns the epoch that two reads have', async (t) => {
  t.deepEqual(await agreedOn({ epoch: 'a' }, answering(['b', 'c', 'c'])), { epoch: 'c' })
  t.deepEqual(await agreedOn({ epoch: 'a' }, answering(['a'])), { epoch: 'a' })
})

test('rejects where each read has another epoch', async (t) => {
  const changing = Array.from({ length: 100 }, (_, at) => `${at}`)
  await t.throwsAsync(agreedOn({ epoch: 'a' }, answering(changing)), {
    message: /the epoch of the stream does not settle/,
  })
})
