/** The recorded swaps and the vectors of `test/data/`. */
import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import type { Swap } from '../../domain/events/swap.ts'
import { parseEvent } from '../../streams/ingest/contract.ts'

const FOLDER = new URL('../data/', import.meta.url)

/** Registers a test that gets the text of a file of the folder. */
export function testWithText(
  file: string,
  name: string,
  body: (t: ExecutionContext, text: string) => Promise<void>,
): void {
  test.serial(name, (t) => body(t, readFileSync(new URL(file, FOLDER), 'utf8')))
}

/** The swaps of a file's lines. */
export function swapsOf(text: string): Swap[] {
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const parsed = parseEvent(line, Date.UTC(2026, 0, 1))
      return 'event' in parsed && parsed.event.kind === 'swap' ? [parsed.event.swap] : []
    })
}

/** Wallets with their swaps, those with the most first. */
export function busiestFirst(swaps: readonly Swap[]): [wallet: string, own: Swap[]][] {
  return [...Map.groupBy(swaps, ({ user }) => user)].sort(
    ([, one], [, other]) => other.length - one.length,
  )
}
