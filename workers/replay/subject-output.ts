/** A replay that is published: a message for each line, to a subject of its caller's. */
import { createHash } from 'node:crypto'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { ReplayOutput } from './runner.ts'

/**
 * A message for each line. A stream that stores the subject acknowledges each; its de-duplication window drops a line
 * that is sent again after an interruption, not one of another replay. Without a stream only current subscribers
 * receive it.
 */
export async function subjectOutput(
  jetStream: JetStream,
  subject: string,
  run: string,
): Promise<ReplayOutput> {
  const isStored = (await jetStream.streamOf(subject)) !== undefined
  let bytes = 0
  return {
    async write(lines) {
      const payloads = lines.map((line) => Buffer.from(line))
      for (const payload of payloads) bytes += payload.length
      if (isStored) {
        await Promise.all(
          payloads.map((payload) =>
            jetStream.publish(subject, payload, { id: `${run}-${digestOf(payload)}` }),
          ),
        )
      } else {
        for (const payload of payloads) jetStream.send(subject, payload)
        await jetStream.flush()
      }
      return 'taken'
    },
    settle: async () => bytes,
    async close() {},
  }
}

const digestOf = (payload: Buffer): string => createHash('sha1').update(payload).digest('base64url')
