/** `swaptide import` on real servers: the rows of operators' files, and refusals. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { createKey } from '../../../api/gateway/keys/keys.ts'
import { startApi } from '../../../api/main.ts'
import type { IntelAnswer } from '../../../api/resources/tokens/schema-profile.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { PATIENT, SILENT } from '../../support/api/api-under-test.ts'
import { PASTED } from '../../support/api/pasted.ts'
import { mint, trader } from '../../support/market/sample-swap.ts'
import { type Ran, runCommandLine, runHere } from '../../support/programs/commands.ts'
import { temporaryFolder, testServers } from '../../support/servers/servers.ts'
import { openPipeline, type Pipeline } from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'

const MISSING_FILE = join(import.meta.dirname, 'there-is-none.csv')

type Importing = Pipeline & {
  /** Imports a text from a file of its own. */
  run(
    kind: string,
    text: string | Uint8Array,
    ...options: string[]
  ): Promise<Ran & { file: string }>
  /** Imports the file at a path. */
  path(kind: string, path: string): Promise<Ran>
  /** Imports a text from standard input, by a process. */
  input(kind: string, text: string, ...options: string[]): Promise<Ran>
}

async function importing(t: ExecutionContext): Promise<Importing> {
  const pipeline = await openPipeline(t)
  const { databaseUrl, natsUrl, prefix, laneCount } = pipeline
  const folder = await temporaryFolder(t)
  const settings = {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    REDIS_URL: testServers().redisUrl,
    SWAPTIDE_STREAM_PREFIX: prefix.replace('.', ''),
    LANES: String(laneCount),
  }
  let count = 0
  return {
    ...pipeline,
    async run(kind, text, ...options) {
      const file = join(folder, `${kind}-${count++}`)
      await writeFile(file, text)
      return { file, ...(await runHere(['import', kind, file, ...options], settings)) }
    },
    path: (kind, path) => runHere(['import', kind, path], settings),
    input: (kind, text, ...options) =>
      runCommandLine(['import', kind, '-', ...options], settings, text),
  }
}

/** The API's answer about a mint. */
async function intelOf(
  t: ExecutionContext,
  { db, databaseUrl }: Pipeline,
  of: string,
): Promise<IntelAnswer> {
  const api = await startApi({ databaseUrl, port: 0, log: SILENT, ...PATIENT })
  t.teardown(() => api.stop())
  const wanted = { tier: 'free', environment: 'test', account: 'test', by: 'test' } as const
  const { key } = await createKey(db, wanted)
  const response = await fetch(`${api.url}/tokens/${of}/intel`, { headers: { 'X-API-Key': key } })
  return (await response.json()) as IntelAnswer
}

async function kolsOf({ db }: Pipeline): Promise<string[]> {
  const { rows } = await db.query('select * from kol order by wallet')
  return rows.map((row) => `${row.wallet} ${row.display_name} ${row.twitter_handle}`)
}

test('adds, changes and retains KOLs; the same file again changes no row', async (t) => {
  const under = await importing(t)
  const csv = `wallet,display_name,twitter_handle\n${trader(1)},Ann,@ann\n${trader(2)},"Bob, B.",\n`
  const first = await under.run('kols', csv)
  t.is(first.code, 0, first.stderr)
  t.is(first.stdout, '2 KOLs added, 0 changed, 0 as before, 0 removed, 0 refused\n')
  const again = await under.run('kols', csv)
  t.is(again.stdout, '0 KOLs added, 0 changed, 2 as before, 0 removed, 0 refused\n')
  const lines = [
    { wallet: trader(2), display_name: 'Bobby', twitter_handle: 'bob' },
    { wallet: trader(3), display_name: 'Cat' },
  ]
  const json = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const third = await under.input('kols', json, '--json')
  t.deepEqual(JSON.parse(third.stdout), {
    added: 1,
    changed: 1,
    unchanged: 0,
    removed: 0,
    refused: 0,
  })
  t.deepEqual(await kolsOf(under), [
    `${trader(1)} Ann ann`,
    `${trader(2)} Bobby bob`,
    `${trader(3)} Cat `,
  ])
})

test('retains a handle that a file omits, and deletes one that is empty', async (t) => {
  const under = await importing(t)
  const header = 'wallet,display_name,twitter_handle\n'
  await under.run('kols', `${header}${trader(1)},Ann,ann\n${trader(2)},Bob,bob\n`)
  const stored = await under.run(
    'kols',
    `wallet,display_name\n${trader(1)},Anna\n${trader(2)},Bob\n${trader(3)},Cat\n`,
  )
  t.is(stored.stdout, '1 KOL added, 1 changed, 1 as before, 0 removed, 0 refused\n')
  const known = [`${trader(1)} Anna ann`, `${trader(2)} Bob bob`, `${trader(3)} Cat `]
  t.deepEqual(await kolsOf(under), known)
  const line = (n: number, name: string, more: object = {}): string =>
    `${JSON.stringify({ wallet: trader(n), display_name: name, ...more })}\n`
  const lines = [line(1, 'Anna'), line(2, 'Bob', { twitter_handle: null })]
  const whole = await under.run('kols', lines.join(''), '--replace')
  t.is(whole.stdout, '0 KOLs added, 0 changed, 2 as before, 1 removed, 0 refused\n')
  t.deepEqual(await kolsOf(under), known.slice(0, 2))
  await under.run('kols', `${header}${trader(1)},Anna,\n`)
  await under.input('kols', line(2, 'Bob', { twitter_handle: '' }))
  t.deepEqual(await kolsOf(under), [`${trader(1)} Anna `, `${trader(2)} Bob `])
})

test('reports a refused line with its reason and imports the others; replaces wholly or not at all', async (t) => {
  const under = await importing(t)
  await under.run('kols', `wallet,display_name\n${trader(9)},Old\n`)
  const bad = [
    'wallet,display_name,twitter_handle',
    `${trader(1)},Ann,ann`,
    'nobody,Ben,ben',
    `${trader(2)},,a b`,
    `${trader(1)},Ann again,`,
    `${trader(3)},Cat`,
  ].join('\n')
  const replaced = await under.run('kols', bad, '--replace')
  t.is(replaced.code, 1)
  t.is(replaced.stdout, '')
  t.regex(replaced.stderr, /^nothing was replaced: mend the refused lines first$/m)
  t.deepEqual(await kolsOf(under), [`${trader(9)} Old `])

  const merged = await under.run('kols', bad)
  t.is(merged.code, 1)
  t.is(merged.stdout, '1 KOL added, 0 changed, 0 as before, 0 removed, 4 refused\n')
  t.deepEqual(merged.stderr.trimEnd().split('\n'), [
    `${merged.file}:3 wallet "nobody": expected an address: base58 of 32 bytes`,
    `${merged.file}:4 display_name absent: expected a text of at most 200 characters without NUL or lone surrogates, and not blank`,
    `${merged.file}:4 twitter_handle "a b": expected 1 to 15 letters, digits or _, with or without an @ before them`,
    `${merged.file}:5 wallet "${trader(1)}": repeats line 2`,
    `${merged.file}:6 line "${trader(3)},Cat": expected 3 cells as in the header, found 2; the last line has no line feed: is it truncated?`,
  ])

  const whole = await under.run('kols', `wallet,display_name\n${trader(4)},Dan\n`, '--replace')
  t.is(whole.stdout, '1 KOL added, 0 changed, 0 as before, 2 removed, 0 refused\n')
  t.deepEqual(await kolsOf(under), [`${trader(4)} Dan `])
})

test('replacing by an empty list needs --allow-empty', async (t) => {
  const under = await importing(t)
  await under.run('kols', `wallet,display_name\n${trader(9)},Old\n`)
  const header = 'wallet,display_name\n'
  for (const text of [header, `${header}\n\n`, `\ufeff${header}`, '', '\n']) {
    const refused = await under.run('kols', text, '--replace')
    t.is(refused.code, 1, JSON.stringify(text))
    t.is(refused.stdout, '')
    t.regex(refused.stderr, /nothing was replaced/)
    t.deepEqual(await kolsOf(under), [`${trader(9)} Old `])
  }
  const refused = await under.run('kols', header, '--replace')
  t.regex(refused.stderr, /no row .* all would be removed: .* add --allow-empty$/m)
  const alone = await under.run('kols', header, '--allow-empty')
  t.is(alone.code, 2)
  t.regex(alone.stderr, /--allow-empty goes with --replace/)
  for (const text of [header, '']) {
    await under.run('kols', `wallet,display_name\n${trader(9)},Old\n`)
    const none = await under.run('kols', text, '--replace', '--allow-empty')
    t.is(none.code, 0, none.stderr)
    t.is(none.stdout, '0 KOLs added, 0 changed, 0 as before, 1 removed, 0 refused\n')
  }
  // A refused line is no empty file.
  await under.run('kols', `wallet,display_name\n${trader(9)},Old\n`)
  const broken = await under.run('kols', `${header}nobody,Ann\n`, '--replace', '--allow-empty')
  t.is(broken.code, 1)
  t.deepEqual(await kolsOf(under), [`${trader(9)} Old `])
})

test('reports the kind of a file that is no text, and changes no row', async (t) => {
  const under = await importing(t)
  const text = `wallet,display_name\n${trader(9)},Old\n`
  await under.run('kols', text)
  const files: [Uint8Array, RegExp][] = [
    [gzipSync(text), /: a gzip file, expected UTF-8 text: decompress it first/],
    [Buffer.from(`\ufeff${text}`, 'utf16le'), /: UTF-16 text, expected UTF-8 text: convert it/],
  ]
  for (const [bytes, said] of files) {
    const ran = await under.run('kols', bytes, '--replace')
    t.is(ran.code, 1)
    t.regex(ran.stderr, said)
  }
  const ran = await under.path('kols', await temporaryFolder(t))
  t.is(ran.code, 1)
  t.regex(ran.stderr, /: a directory, expected a file/)
  t.deepEqual(await kolsOf(under), [`${trader(9)} Old `])
})

test('pasted wallets and mints are trimmed; a bad optional field costs itself', async (t) => {
  const under = await importing(t)
  const lines = PASTED.map(([, dress], n) =>
    JSON.stringify({ wallet: dress(trader(n)), display_name: `N${n}\0\0`, twitter_handle: 'a-b' }),
  )
  const ran = await under.run('kols', `${lines.join('\n')}\n`)
  t.is(ran.code, 0, ran.stderr)
  t.is(ran.stderr.trimEnd().split('\n').length, PASTED.length)
  t.regex(ran.stderr, /:1 twitter_handle "a-b": expected .*: the field is left out$/m)
  t.deepEqual(
    (await kolsOf(under)).toSorted(),
    PASTED.map((_, n) => `${trader(n)} N${n} `).toSorted(),
  )
})

test('a missing file, an empty one or one without a table changes no row', async (t) => {
  const under = await importing(t)
  await under.run('kols', `wallet,display_name\n${trader(9)},Old\n`)
  const empty = await under.run('kols', '\n\n', '--replace')
  t.is(empty.code, 1)
  t.regex(empty.stderr, /:1 line absent: expected a header of CSV, or JSON objects$/m)
  const headless = await under.run('kols', `${trader(1)},Ann\n${trader(2)},Bob\n`)
  t.is(headless.code, 1)
  t.regex(
    headless.stderr,
    /:1 header "\w+,Ann": expected a header with wallet, display_name, or JSON obj/,
  )
  t.notRegex(headless.stderr, /:2 /)
  const settings = { DATABASE_URL: under.databaseUrl, NATS_URL: under.natsUrl }
  const missing = await runHere(['import', 'kols', MISSING_FILE], {
    ...settings,
    REDIS_URL: testServers().redisUrl,
  })
  t.is(missing.code, 1)
  t.regex(missing.stderr, /ENOENT/)
  t.deepEqual(await kolsOf(under), [`${trader(9)} Old `])
})

test('imports tokens and sectors through the stream, and the newest import wins', async (t) => {
  const under = await importing(t)
  await runWorker(t, under)
  const tokens = await under.run(
    'tokens',
    `mint,symbol,name,decimals,creator,supply\n${mint(1)},ZED,Zed,6,${trader(1)},1000000\n${mint(2)},B,,6,,\n${mint(3)},C,,x,,\n`,
  )
  // Bad decimals cost themselves only.
  t.is(tokens.code, 0)
  t.is(tokens.stdout, '3 token lines, 0 refused\n')
  t.regex(tokens.stderr, /:4 decimals "x": expected an integer of 0 to 18: the field is left out$/m)
  const sectors = (sector: string) => under.input('sectors', `mint,sector\n${mint(1)},${sector}\n`)
  t.is((await sectors('meme')).code, 0)
  // A lesser text: at the same slot the greater one would win.
  t.is((await sectors('ai')).stdout, '1 token line, 0 refused\n')
  const { rows } = await under.db.query(
    'select symbol, name, decimals, creator, supply, sector from token where address = $1',
    [mint(1)],
  )
  t.deepEqual(rows, [
    {
      symbol: 'ZED',
      name: 'Zed',
      decimals: 6,
      creator: trader(1),
      supply: 1_000_000,
      sector: 'ai',
    },
  ])
  // No slot is above the last possible one: at it the greater text wins.
  const last = await under.input('tokens', `mint,symbol,slot\n${mint(2)},B,9007199254740991\n`)
  t.is(last.code, 0, last.stderr)
  t.is((await under.input('sectors', `mint,sector\n${mint(2)},defi\n`)).code, 0)
  const twice = await under.input('sectors', `mint,sector\n${mint(3)},ai\n${mint(3)},meme\n`)
  t.is(twice.stdout, '1 token line, 1 refused\n')
  t.regex(twice.stderr, /:3 mint "\w+": repeats line 2$/m)
  const intel = await intelOf(t, under, mint(1))
  t.like(intel, { symbol: 'ZED', name: 'Zed', decimals: 6, supply: 1_000_000, sector: 'ai' })
  t.like(intel.creator, { wallet: trader(1), mints_created: 1 })
  const { tables } = await verify(under.db, { log: under.recording.log })
  t.deepEqual(
    tables.flatMap(({ differences }) => differences),
    [],
  )
})
