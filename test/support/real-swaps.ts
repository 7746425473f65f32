/**
 * The real swaps and vectors of the data folder beside the project; where it is absent, a test that needs them is
 * skipped and its title reports it.
 */
import { existsSync, readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import type { Swap } from '../../domain/events/swap.ts'
import { parseEvent } from '../../streams/ingest/contract.ts'

const FOLDER = new URL('../../../shared/data/', import.meta.url)

/** Registers a test that gets the text of a file of the folder. */
export function testWithText(
  file: string,
  name: string,
  body: (t: ExecutionContext, text: string) => Promise<void>,
): void {
  const url = new URL(file, FOLDER)
  if (existsSync(url)) test.serial(name, (t) => body(t, readFileSync(url, 'utf8')))
  else test.skip(`${name} (skipped: ../shared/data is absent)`, (t) => t.fail())
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
