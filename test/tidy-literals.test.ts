/**
 * Venues, windows, timeframes and the widths of buckets are tables in domain/. Each test lists every other file that
 * repeats a value of them, so that a row more in a table is all that a new venue, timeframe or window needs. Comments
 * are free. Exceptions are listed with their reason. Likewise the tables of swaps are read in one room.
 */
import test from 'ava'
import { parseStatements } from '../sql/statements/named.ts'
import { isTypeScript, listFiles, readText } from './support/sources.ts'

type Rule = { readonly what: string; readonly pattern: RegExp }

/** Files that hold the tables, or that have a reason to repeat them. */
const EXCEPTIONS: Record<string, string> = {
  'domain/venue.ts': 'the table of venues',
  'domain/time/trade-window.ts': 'the table of trailing windows',
  'domain/time/wallet-window.ts': 'the table of windows of a wallet',
  'domain/wallet/leaderboard.ts': 'the table of periods of leaderboards',
  'domain/time/timeframe.ts': 'the table of timeframes',
  'domain/time/time-bucket.ts': 'the widths of buckets',
  'domain/quote-mint.ts': 'the table of quote mints',
  'streams/simulator/market.ts': 'a cast of its own for each venue that it imitates',
  'streams/simulator/pool.ts': 'the mechanism of each venue that it imitates',
  'streams/simulator/tape/tape.ts': 'which prices each imitated venue publishes',
  'streams/simulator/trades.ts': 'which imitated venues have agents and a creator who sells',
  'chain/venues/meteora-dbc/pools.ts': 'the venues that its instructions migrate to',
  'chain/decoder/upgrades.ts': 'the loaders of programs: no venues',
  'chain/transaction/metadata-call.ts': 'the metadata program: no venue',
  'chain/decoder/venue-swap.ts': 'the mint of wrapped SOL',
  'chain/venues/pumpfun/swaps.ts': 'the address of no account',
  'chain/forms/car.ts': 'programs that call no venue',
  'chain/encoder/fillers.ts': 'the vote program: no venue',
  'chain/transaction/token-program.ts': 'the programs that own token accounts: no venues',
  'history/codec/columns/predictions.ts':
    'a rule of a stored format, which stays whatever the table becomes',
  'bench/market/heavy.ts': 'the address of a wallet that a bench writes',
  'proto/generate.ts': 'names of protobuf messages, one as long as an address',
  'web/console/answers.ts': 'types, generated from the OpenAPI document',
  'clients/typescript/generated.ts': 'types and operations, generated from the OpenAPI document',
  'streams/codec/tags.ts': 'protobuf tags, generated from the .proto files',
  'examples/grpc-client.ts': 'a client without imports of the project',
}

const SOURCES = listFiles()
  .filter((path) => isTypeScript(path) && !path.startsWith('test/'))
  .filter((path) => EXCEPTIONS[path] === undefined)

const WINDOW = String.raw`\d{1,3}[smhdy]`
const VENUE_WORD = String.raw`(?:\bdex|\w*Dex|(?<!IN)DEX|\w*_DEX|\bvenues?|\w*Venues?|\w*VENUES?)`
const VENUE_ID = String.raw`[1-9]\d?(?![\w.])`

const VENUE_RULES: readonly Rule[] = [
  { what: 'name of a venue', pattern: /\bvenue_\d/ },
  {
    what: 'number of venues',
    pattern: /\b(?:[Tt]en|[Ee]leven|[Tt]welve|\d+) (?:DEX |Solana |trading )?venues\b/,
  },
  {
    what: 'id of a venue',
    pattern: new RegExp(
      String.raw`${VENUE_WORD}\??(?:\)| as \w+)?\s*(?:[=!]==?|[<>]=?|:|,|=|\bof\b|\bin\b)\s*[[(]?\s*${VENUE_ID}`,
    ),
  },
  {
    what: 'id of a venue',
    pattern: new RegExp(
      String.raw`\b${VENUE_ID}\s*(?:[=!]==?|[<>]=?|as)\s*\(?\w*\.?(?:dex\b|DexId)`,
    ),
  },
  { what: 'ids of venues', pattern: new RegExp(String.raw`\bDexId,\s*${VENUE_ID}`) },
  { what: 'range of venues', pattern: /maximum: \d+[^}]{0,60}(?:DexId|[Vv]enue)/ },
  { what: 'correction of a venue', pattern: /17\.58|17_?580_?000_?000|1784073600000|2026-07-15/ },
  { what: 'address of a program', pattern: /['"`][1-9A-HJ-NP-Za-km-z]{32,44}['"`]/ },
]

const WINDOW_RULES: readonly Rule[] = [
  {
    what: 'list of windows',
    pattern: new RegExp(String.raw`['"]${WINDOW}['"]\s*(?:,|\||\]?,\s*\[)\s*['"]${WINDOW}['"]`),
  },
  {
    what: 'windows as keys',
    pattern: new RegExp(String.raw`['"]${WINDOW}['"]\s*:[^;]{0,60}?['"]${WINDOW}['"]\s*:`),
  },
  {
    what: 'list of windows in a text',
    pattern: /\b\d+[mhd](?:, | |\/)\d+[mhd](?:, | |\/)\d+[mhd]\b/,
  },
  {
    what: 'width in milliseconds',
    pattern:
      /(?<![\w.])(?:900_?000|3_?600_?000|14_?400_?000|21_?600_?000|86_?400_?000|604_?800_?000)(?!\w)/,
  },
  { what: 'width in milliseconds', pattern: /[/%]\s*60_?000(?!\w)|\* 60_?000(?= as )/ },
  {
    what: 'width in milliseconds or minutes',
    pattern:
      /\b(?:\w*(?:MINUTE|QUARTER|HOUR|DAY|WEEK|WIDTH|BUCKET|TIMEFRAME)S?_MS|(?:HOUR|DAY)_MINUTES)(?:: \w+)? = \(?\d[\d_]{1,}/,
  },
  { what: 'day in minutes', pattern: /(?<![\w.])1_?440(?!\w)/ },
]

/** The text with its comments blanked, so that offsets and lines stay. */
function withoutComments(text: string): string {
  const tokens =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
  return text.replace(tokens, (token) =>
    /^\/[*/]/.test(token) ? token.replace(/[^\n]/g, ' ') : token,
  )
}

function findings(path: string, text: string, rules: readonly Rule[]): string[] {
  const code = withoutComments(text)
  return rules.flatMap(({ what, pattern }) =>
    Array.from(code.matchAll(new RegExp(pattern, 'g')), (match) => {
      const line = code.slice(0, match.index).split('\n').length
      return `${path}:${line} ${what}: ${match[0].replace(/\s+/g, ' ')}`
    }),
  )
}

test('no other file repeats a value of the table of venues', (t) => {
  t.deepEqual(
    SOURCES.flatMap((path) => findings(path, readText(path), VENUE_RULES)),
    [],
  )
})

test('no other file repeats a window, a timeframe or the width of a bucket', (t) => {
  t.deepEqual(
    SOURCES.flatMap((path) => findings(path, readText(path), WINDOW_RULES)),
    [],
  )
})

test('every exception names a file that exists', (t) => {
  const files = new Set(listFiles())
  t.deepEqual(
    Object.keys(EXCEPTIONS).filter((path) => !files.has(path)),
    [],
  )
})

test('each kind of literal is found', (t) => {
  const venues = [
    'if (swap.dex === 3) stop()',
    'if (10 === row.dex) stop()',
    'const pool = { dex: 4, mint }',
    'const WITHOUT_RESERVES_DEX = 10',
    'for (const venue of [1, 8]) open(venue)',
    'type Other = Exclude<DexId, 1 | 8>',
    'const launch = 8 as DexId',
    'isWithin(swap.dex, 1, 10)',
    "Type.Integer({ minimum: 1, maximum: 10, description: 'Venue' })",
    "const protocol = 'venue_3'",
    "const summary = 'all ten venues'",
    "const summary = 'Ten DEX venues'",
    'const missing = 17.58',
    'const missing = 17_580_000_000n',
    "const program = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'",
  ]
  const windows = [
    "const WINDOWS = ['5m', '1h']",
    "type Window = '5m' | '1h'",
    "const figures = { '5m': of(5), '1h': of(60) }",
    "const about = 'one of 5m 1h 6h'",
    'const quarterMs = 900_000',
    'const minute = ms / 60_000',
    'const MINUTE_MS = 60_000',
    'const BUCKET_WIDTH_MS = 300_000',
    'const minutes = 2 * 1_440',
    'select bucket_ms / 3600000 * 3600000',
  ]
  t.deepEqual(
    venues.filter((code) => findings('planted', code, VENUE_RULES).length === 0),
    [],
  )
  t.deepEqual(
    windows.filter((code) => findings('planted', code, WINDOW_RULES).length === 0),
    [],
  )
  const free = [
    '// venue_3 is dex === 3, 900_000 ms',
    'const BOUND_MS = 60_000',
    "const timeframe: Timeframe = '1h'",
    'if (venue.kind === wanted) stop()',
    'const bit = 1 << dex',
  ]
  t.deepEqual(
    free.flatMap((code) => findings('free', code, [...VENUE_RULES, ...WINDOW_RULES])),
    [],
  )
})

/*
 * Stored swaps are read in one room: statements that read `swap` or `swap_signature` have the topic `swap-history`, and only
 * files in history/ load them. Decision: docs/decisions/0106-stored-swaps-are-read-in-one-room.md
 */

/** A table in a list of sources or as the target of a write; an alias or a qualified column is none. */
const NAMES_SWAPS =
  /(?:\b(?:from|join|update|into|using|only)\s+|,\s*)(?:only\s+)?(?:public\.)?"?swap(?:_signature)?"?(?![\w."])/i

/** Statements that write, with the part that reads the rows that they write. */
const WRITERS = [
  'dropping/list_left',
  'pool/complete_swaps',
  'pool/update_impacts',
  'retraction/delete_signatures',
  'retraction/promote_signatures',
  'retraction/take_swaps',
  'sealing/delete_signatures',
  'sealing/delete_swaps',
  'sealing/find_cut',
  'sealing/find_next_run',
  'sealing/find_next_slot',
  'sealing/find_worn',
  'sealing/list_sealed_chunks',
  'sealing/move_rows',
  'sealing/read_bounds',
  'sealing/renumber_copies',
  'thawing/insert_signatures',
  'thawing/insert_swaps',
]
/** Functions that statements call, each with one question about a wallet, a window or pools. */
const FUNCTIONS = ['has_traded', 'swap_order', 'token_birth']

const bare = (text: string): string => text.replaceAll(/--.*/g, '')
const SQL = listFiles().filter((path) => path.endsWith('.sql'))
const STATEMENTS = SQL.filter((path) => path.startsWith('sql/queries/')).flatMap((path) =>
  parseStatements(path, readText(path)),
)
const OF_ROOM = /^swap-history\//

test('finds the tables of swaps however a statement names them', (t) => {
  const named = [
    'from swap',
    'join\n  swap s',
    'from pool, swap',
    'update swap set',
    'from only swap',
  ]
  for (const text of [...named, 'from swap_signature', 'FROM public.swap', 'from "swap" as s']) {
    t.regex(text, NAMES_SWAPS)
  }
  for (const text of [
    'from swap_order()',
    'select swap.slot, swap.dex',
    ') as swap',
    'from swap.x',
  ]) {
    t.notRegex(text, NAMES_SWAPS)
  }
})

test('statements that read swaps are in the room, but for those that write', (t) => {
  const outside = STATEMENTS.filter(
    ({ name, text }) => !OF_ROOM.test(name) && NAMES_SWAPS.test(bare(text)),
  )
  t.deepEqual(outside.map(({ name }) => name).sort(), WRITERS)
  const fragments = SQL.filter((path) => path.startsWith('sql/fragments/'))
  t.deepEqual(
    fragments.filter((path) => NAMES_SWAPS.test(bare(readText(path)))),
    [],
    'fragments, which any statement may include',
  )
})

test('functions that read swaps are listed', (t) => {
  const found = SQL.filter((path) => path.startsWith('sql/functions/')).filter((path) =>
    NAMES_SWAPS.test(bare(readText(path))),
  )
  t.deepEqual(
    found.sort(),
    FUNCTIONS.map((name) => `sql/functions/${name}.sql`),
  )
})

test('the room alone loads its statements', (t) => {
  const inRoom = STATEMENTS.filter(({ name }) => OF_ROOM.test(name))
  t.true(inRoom.length > 0)
  const loaded = listFiles()
    .filter((path) => isTypeScript(path) && !/^(test|history)\//.test(path))
    .filter((path) => withoutComments(readText(path)).includes("'swap-history/"))
  t.deepEqual(loaded, [])
})
