/**
 * Commands on a real terminal: their output never mixes with the running line, however narrow it is, and that line is
 * cleared at the end.
 */
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { ACTOR_NAMES } from '../../../workers/actors.ts'
import { HAS_TERMINAL, runOnTerminal, screenOf } from '../../support/deploy/screen.ts'
import { trader } from '../../support/market/sample-swap.ts'
import { runHere, settingsOf } from '../../support/programs/commands.ts'
import { temporaryFolder } from '../../support/servers/servers.ts'
import { openPipeline } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const onTerminal = HAS_TERMINAL ? test : test.skip
const WHY_SKIPPED = HAS_TERMINAL ? '' : ' (skipped: no script of util-linux here)'
/** The first line alone is shorter than any running line. */
const WIDTHS = [20, 200]
const WIDE = 10_000
const ERASED = '\r\x1b[K'
const ESCAPE = '\x1b'
const RUNNING_LINE = new RegExp(`\r${ESCAPE}\\[K(?:${ESCAPE}\\[\\?7l.*?${ESCAPE}\\[\\?7h)?`, 'g')

type Command = {
  argv: readonly string[]
  /** The first line that the terminal shows at the end; absent: the last. */
  first?: RegExp
  last: RegExp
  exit?: number
  /** Not where it is over before there is anything to show. */
  hasProgress?: boolean
}

function commandsIn(folder: string, width: number): Command[] {
  const market = join(folder, 'market.ndjson')
  return [
    {
      argv: ['ingest', market],
      first: new RegExp(`^${market}:\\d+ signature absent: `),
      last: /^[\d,]+ swaps accepted, .* token lines, [\d,]+ pool events, 1 refused$/,
      exit: 1,
    },
    {
      argv: ['ingest', '--no-wait', '--json', market],
      first: new RegExp(`^${market}:\\d+ signature absent: `),
      last: /^\{.*\}$/,
      exit: 1,
    },
    { argv: ['simulate', '--swaps', '500'], last: /^[\d,]+ swaps published in / },
    {
      argv: ['status', '--wait'],
      first: /^actor +lane/,
      last: /^[\d,]+ swaps, 0 dead letters$/,
      hasProgress: false,
    },
    {
      argv: ['replay', '--output', join(folder, `replayed-${width}`)],
      last: /^[\d,]+ swaps, .* token lines in /,
    },
    { argv: ['rebuild', 'ledger'], last: /^[\d,]+ positions of [\d,]+ swaps in / },
    { argv: ['rebuild', 'ranking'], last: /^traders of [\d,]+ tokens of [\d,]+ swaps in / },
    { argv: ['rebuild', 'candles'], last: /^candles of [\d,]+ pools of [\d,]+ swaps in / },
    {
      argv: ['import', 'sectors', join(folder, 'sectors.csv')],
      first: /sectors\.csv:2 token_address /,
      last: /^0 token lines, 1 refused$/,
      exit: 1,
      hasProgress: false,
    },
    {
      argv: ['import', 'kols', join(folder, 'kols.csv')],
      last: /^\d KOLs? added, /,
      hasProgress: false,
    },
    { argv: ['verify'], first: /^table /, last: /^clean: /, hasProgress: false },
  ]
}

onTerminal(
  `results stand on lines of their own on terminals of any width${WHY_SKIPPED}`,
  async (t) => {
    const pipeline = await openPipeline(t)
    await runWorker(t, pipeline, { actors: ACTOR_NAMES })
    const settings = settingsOf(pipeline)
    const folder = await temporaryFolder(t)
    const { stdout } = await runHere(['simulate', '--stdout', '--swaps', '3000'])
    await writeFile(join(folder, 'market.ndjson'), stdout)
    await appendFile(join(folder, 'market.ndjson'), '{"kind":"swap","dex":11}\n')
    await writeFile(join(folder, 'sectors.csv'), 'mint,sector\nx,meme\n')
    await writeFile(join(folder, 'kols.csv'), `wallet,display_name\n${trader(1)},Ann\n`)
    for (const width of WIDTHS) {
      for (const { argv, last, first = last, exit = 0, hasProgress = true } of commandsIn(
        folder,
        width,
      )) {
        const shown = `${argv.join(' ')} at ${width}`
        const { code, stdout: written } = await runOnTerminal(argv, width, settings)
        t.is(code, exit, `${shown}: ${written}`)
        if (hasProgress) t.true(written.includes(ERASED), `${shown} has a running line`)
        t.deepEqual(
          screenOf(written, width),
          screenOf(written.replaceAll(RUNNING_LINE, ''), width),
          shown,
        )
        const lines = screenOf(written, WIDE).filter((line) => line !== '')
        t.regex(lines[0] ?? '', first, shown)
        t.regex(lines.at(-1) ?? '', last, shown)
      }
    }
  },
)
