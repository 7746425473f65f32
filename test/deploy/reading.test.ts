/** Files into ingest: what is told of one that breaks off. */
import { Readable, Writable } from 'node:stream'
import test from 'ava'
import type { CommandContext } from '../../deploy/command.ts'
import { createProgress } from '../../deploy/progress.ts'
import { ingestFiles } from '../../deploy/reading.ts'
import type { Batch } from '../../streams/batcher.ts'
import { printEvent } from '../../streams/print.ts'
import { swapEvent } from '../streams/sample-event.ts'

test('lines that were refused of an input that breaks off are counted, as are those that went in', async (t) => {
  const good = printEvent(swapEvent({ timestamp: Date.now() }))
  async function* broken(): AsyncGenerator<Buffer> {
    // The second refused line breaks two rules.
    yield Buffer.from(`nonsense\n${good}\n{"kind":"token","token_address":"x","decimals":19}\n`)
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' })
  }
  const said: string[] = []
  const write = (text: string): void => {
    said.push(text)
  }
  const progress = createProgress({ write, isTerminal: false, now: () => performance.now() })
  const batches: Batch[] = []
  const publishing = {
    publish: async (batch: Batch) => {
      batches.push(batch)
      return 'stored' as const
    },
    prefix: 'test.',
    laneCount: 4,
  }
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() })
  const context = {
    stdin: Readable.from(broken()),
    signal: new AbortController().signal,
    stdout: stream,
    stderr: stream,
  } as Partial<CommandContext> as CommandContext
  const report = await ingestFiles(['-'], publishing, context, progress)
  t.is(report.refusedLines, 2)
  t.is(report.unread, 1)
  t.is(report.stored.swaps, 1)
  t.is(batches.length, 1)
  t.is(said.filter((line) => line.startsWith('-:')).length, 4)
})
