// Streams whose files are damaged while their server is down, as a failing disk damages them.

import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { openPipeline, type Pipeline, until } from '../workers/pipeline.ts'
import { ownStack, temporaryFolder } from './servers.ts'

const BOUND_MS = 60_000

type DamageablePipeline = {
  pipeline: Pipeline
  /** Flips a byte of the message of each sequence, with the server stopped, and starts it again. */
  damage(stream: string, sequences: readonly number[]): Promise<void>
}

/** A pipeline on servers of its own. */
export async function damageablePipeline(t: ExecutionContext): Promise<DamageablePipeline> {
  const home = await temporaryFolder(t)
  const stack = await ownStack(t, { home })
  const pipeline = await openPipeline(t, { servers: stack, natsAnswerMs: 5_000 })
  const { jetStream } = pipeline
  const { nats } = stack.servers
  return {
    pipeline,
    async damage(stream, sequences) {
      const messages = await Promise.all(
        sequences.map((sequence) => jetStream.messageAt(stream, sequence)),
      )
      await nats.stop()
      for (const message of messages) await flip(join(home, 'nats'), stream, message!.payload)
      await nats.start()
      await until('NATS is there', BOUND_MS, () => jetStream.isReachable())
      for (const sequence of sequences) {
        const stored = await jetStream.messageAt(stream, sequence)
        if (stored !== undefined) throw new Error(`message ${sequence} is still there`)
      }
    },
  }
}

async function flip(folder: string, stream: string, payload: Uint8Array): Promise<void> {
  for await (const name of glob(`**/streams/${stream}/msgs/*.blk`, { cwd: folder })) {
    const file = join(folder, name)
    const bytes = await readFile(file)
    const at = bytes.indexOf(payload)
    if (at < 0) continue
    const middle = at + (payload.length >> 1)
    bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle)
    await writeFile(file, bytes)
    return
  }
  throw new Error(`no block of "${stream}" holds the message`)
}
