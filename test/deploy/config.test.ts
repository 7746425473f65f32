/** The environment's values, and messages about bad ones. */
import test from 'ava'
import { expectation } from '../../deploy/config/parse.ts'
import type { Setting } from '../../deploy/config/setting.ts'
import { SETTINGS } from '../../deploy/config/settings.ts'
import { ConfigError, environmentFor, readConfig } from '../../deploy/config.ts'
import { partsOf } from '../../deploy/processes/part-options.ts'
import { ACTOR_NAMES } from '../../workers/actors.ts'

const URLS = {
  DATABASE_URL: 'postgres://me:secret@db:5432/swaptide',
  NATS_URL: 'nats://queue:4222',
  REDIS_URL: 'redis://:secret@cache:6379',
}

test('an empty environment gives the documented defaults', (t) => {
  const config = readConfig({})
  t.regex(config.home, /^\/.*\/\.swaptide$/)
  t.is(config.port, 8080)
  t.is(config.grpcPort, 50_051)
  t.is(config.host, '127.0.0.1')
  t.is(config.clientsMax, undefined)
  t.is(config.laneCount, undefined)
  t.is(config.prefix, '')
  t.is(config.servers, undefined)
  t.is(config.logLevel, undefined)
  t.deepEqual(config.retention, {}, 'everything is kept')
})

test('ages of deletable records are days', (t) => {
  const { retention } = readConfig({
    RETENTION_INGEST_RUN_DAYS: '30',
    RETENTION_DEAD_LETTER_DAYS: '7',
    RETENTION_CONFLICT_DAYS: '8',
  })
  t.deepEqual(retention, { ingestRunDays: 30, deadLetterDays: 7, conflictDays: 8 })
  t.throws(() => readConfig({ RETENTION_INGEST_RUN_DAYS: '0' }), {
    message: 'RETENTION_INGEST_RUN_DAYS "0": expected an integer of 1 to 36500',
  })
})

test('one worker process runs all actors unless WORKER_PROCESSES is each', (t) => {
  t.deepEqual(partsOf(readConfig({})), [['worker'], ['jobs']])
  const each = partsOf(readConfig({ WORKER_PROCESSES: 'each' }))
  t.deepEqual(each, [...ACTOR_NAMES.map((actor) => ['worker', actor]), ['jobs']])
})

test('pages are public only with PUBLIC_PAGES, at an origin, past named proxies', (t) => {
  t.is(readConfig({}).publicPages, undefined)
  t.is(readConfig({ PUBLIC_PAGES: '0', PUBLIC_URL: 'https://a.example' }).publicPages, undefined)
  t.deepEqual(readConfig({ PUBLIC_PAGES: '1' }).publicPages, {
    url: undefined,
    requestsMax: 600,
    proxies: [],
  })
  const { publicPages } = readConfig({
    PUBLIC_PAGES: '1',
    PUBLIC_URL: 'https://A.example/',
    PUBLIC_REQUESTS: '60',
    TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8',
  })
  t.is(publicPages?.url, 'https://a.example')
  t.is(publicPages?.requestsMax, 60)
  t.deepEqual(
    publicPages?.proxies.map(({ bits }) => bits),
    [128, 104],
  )
  for (const [name, value, expected] of [
    ['PUBLIC_PAGES', 'yes', 'use one of 0 1'],
    [
      'PUBLIC_URL',
      'https://a.example/path',
      'a URL that begins with http:// or https://, without a path',
    ],
    ['PUBLIC_URL', 'https://me:secret@a.example', 'without a path'],
    ['PUBLIC_URL', 'ftp://a.example', 'without a path'],
    ['PUBLIC_REQUESTS', '0', 'expected an integer of 1 to 1000000'],
    ['TRUSTED_PROXIES', 'localhost', 'expected addresses or networks'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'expected addresses or networks'],
    ['TRUSTED_PROXIES', '127.0.0.1,', 'expected addresses or networks'],
  ] as const) {
    const error = t.throws(() => readConfig({ [name]: value }))
    // A URL may hold a password: it is not repeated.
    const shown = name === 'PUBLIC_URL' ? name : `${name} "${value}"`
    t.true(error?.message.startsWith(`${shown}: `), error?.message)
    t.true(error?.message.includes(expected), error?.message)
  }
})

test('tuning is off unless SWAPTIDE_TUNE is 1', (t) => {
  t.false(readConfig({}).isTuned)
  t.false(readConfig({ SWAPTIDE_TUNE: '0' }).isTuned)
  t.true(readConfig({ SWAPTIDE_TUNE: '1' }).isTuned)
  t.throws(() => readConfig({ SWAPTIDE_TUNE: 'yes' }), {
    message: 'SWAPTIDE_TUNE "yes": use one of 0 1',
  })
})

test('a pooler of transactions needs the database past it', (t) => {
  const direct = 'postgres://me:secret@db:5433/swaptide'
  const pooled = { ...URLS, PG_POOLER: 'transaction' }
  t.is(readConfig({ ...pooled, DATABASE_DIRECT_URL: direct }).directUrl, direct)
  t.is(readConfig(URLS).directUrl, undefined)
  const lacking =
    'PG_POOLER "transaction": set DATABASE_URL to the pooler and DATABASE_DIRECT_URL to the server itself'
  t.throws(() => readConfig(pooled), { message: lacking })
  t.throws(() => readConfig({ PG_POOLER: 'transaction', DATABASE_DIRECT_URL: direct }), {
    message: lacking,
  })
  t.throws(() => readConfig({ ...URLS, DATABASE_DIRECT_URL: direct }), {
    message:
      'DATABASE_DIRECT_URL without a pooler: set PG_POOLER to transaction, or only DATABASE_URL',
  })
  t.throws(() => readConfig({ ...URLS, PG_POOLER: 'session' }), {
    message: 'PG_POOLER "session": use one of none transaction',
  })
})

test('standbys are a list of URLs, and an age', (t) => {
  t.is(readConfig(URLS).standbys, undefined)
  const two = 'postgres://a:x@one:5432/swaptide, postgresql://a:x@two/swaptide'
  t.deepEqual(readConfig({ ...URLS, DATABASE_READ_URL: two }).standbys, {
    readUrls: ['postgres://a:x@one:5432/swaptide', 'postgresql://a:x@two/swaptide'],
    ageMsMax: 1_000,
  })
  for (const bad of ['one', 'postgres://a@one/x,', 'postgres://a@one/x,redis://two']) {
    t.throws(() => readConfig({ ...URLS, DATABASE_READ_URL: bad }), {
      message:
        'DATABASE_READ_URL: expected URLs that begin with postgres:// or postgresql://, with commas between them',
    })
  }
  t.throws(() => readConfig({ DATABASE_READ_URL: two }), {
    message: 'DATABASE_READ_URL without DATABASE_URL: standbys are those of an external primary',
  })
  t.throws(() => readConfig({ ...URLS, DATABASE_READ_URL: two, DATABASE_READ_AGE_MS: '10' }), {
    message: 'DATABASE_READ_AGE_MS "10": expected an integer of 50 to 600000',
  })
})

test('shared buffers of PostgreSQL are a size as PostgreSQL writes it', (t) => {
  const sizes = [undefined, '16MB', '512MB', '4GB', '4 GB']
  t.deepEqual(
    sizes.map((size) => readConfig({ POSTGRES_SHARED_BUFFERS: size }).sharedBuffersMib),
    [undefined, 16, 512, 4_096, 4_096],
  )
  for (const bad of ['15MB', '0GB', '4', '4gb', '1.5GB', '-1GB', '4TB']) {
    t.throws(() => readConfig({ POSTGRES_SHARED_BUFFERS: bad }), {
      message: `POSTGRES_SHARED_BUFFERS "${bad}": expected a size of 16MB or more, such as 512MB or 4GB`,
    })
  }
})

test('sizes of streams are bytes, and as the streams are without a setting', (t) => {
  const { swapMaxBytes, feedMaxBytes } = readConfig({ SWAP_BYTES: '16GB', FEED_BYTES: '64MB' })
  t.deepEqual([swapMaxBytes, feedMaxBytes], [17_179_869_184, 67_108_864])
  t.like(readConfig({}), { swapMaxBytes: undefined, feedMaxBytes: undefined })
  for (const name of ['SWAP_BYTES', 'FEED_BYTES']) {
    t.throws(() => readConfig({ [name]: '63MB' }), {
      message: `${name} "63MB": expected a size of 64MB or more, such as 512MB or 4GB`,
    })
  }
})

test('a variable that is empty counts as not set', (t) => {
  const config = readConfig({ PORT: '', ADMIN_TOKEN: '', DATABASE_URL: ' ', LOG_LEVEL: '' })
  t.is(config.port, 8080)
  t.is(config.adminKey, undefined)
  t.is(config.servers, undefined)
})

test('a key of operators must fit a header and be hard to guess', (t) => {
  const ADMIN_TOKEN = '!0123456789abcd~'
  t.is(readConfig({ ADMIN_TOKEN }).adminKey, ADMIN_TOKEN)
  for (const bad of ['short', '0123456789 abcdef', 'schlüssel-des-hauses', '0123456789abcde\x7f']) {
    t.throws(() => readConfig({ ADMIN_TOKEN: bad }), {
      instanceOf: ConfigError,
      message: 'ADMIN_TOKEN: expected 16 characters of ASCII or more, without spaces',
    })
  }
})

test('requires all three servers together', (t) => {
  t.deepEqual(readConfig(URLS).servers, {
    databaseUrl: URLS.DATABASE_URL,
    natsUrl: URLS.NATS_URL,
    redisUrl: URLS.REDIS_URL,
  })
})

test('two of three servers are refused with the name of the third', (t) => {
  const { REDIS_URL: _, ...two } = URLS
  t.throws(() => readConfig(two), {
    instanceOf: ConfigError,
    message: 'REDIS_URL not set: set all of DATABASE_URL, NATS_URL and REDIS_URL, or none',
  })
})

test('gRPC speaks TLS by two files, and one alone is refused with the name of the other', (t) => {
  t.is(readConfig({}).grpcTls, undefined)
  const { grpcTls } = readConfig({ GRPC_TLS_CERT: '/c.pem', GRPC_TLS_KEY: '/k.pem' })
  t.deepEqual(grpcTls, { certificate: '/c.pem', key: '/k.pem' })
  t.throws(() => readConfig({ GRPC_TLS_CERT: '/c.pem' }), {
    instanceOf: ConfigError,
    message: 'GRPC_TLS_KEY not set: set both of GRPC_TLS_CERT and GRPC_TLS_KEY, or none',
  })
})

test('reports every bad value with the expected one', (t) => {
  const failure = t.throws(
    () => readConfig({ PORT: '80a', CONNECTIONS_MAX: '0', LOG_LEVEL: 'loud', LANES: '0' }),
    {
      instanceOf: ConfigError,
    },
  )
  t.deepEqual(failure.message.split('; '), [
    'PORT "80a": expected an integer of 0 to 65535',
    'CONNECTIONS_MAX "0": expected an integer of 1 to 1000000',
    'LOG_LEVEL "loud": use one of debug info warn error silent',
    'LANES "0": expected an integer of 1 to 64',
  ])
})

test('a bad URL is named without the password that it may hold', (t) => {
  const error = t.throws(() => readConfig({ ...URLS, DATABASE_URL: 'mysql://me:secret@db/x' }))
  t.is(error.message, 'DATABASE_URL: expected a URL that begins with postgres:// or postgresql://')
})

test('NATS is one URL or a list, and its files become part of it', (t) => {
  const NATS_URL = 'nats://u:p@a:4222,nats://b:4222'
  const natsUrlOf = (given: object) => readConfig({ ...URLS, NATS_URL, ...given }).servers?.natsUrl
  t.is(natsUrlOf({}), NATS_URL)
  t.is(natsUrlOf({ NATS_CA: '/ca.pem' }), `${NATS_URL}?ca=%2Fca.pem`)
  const all = { NATS_CREDS: '/u.creds', NATS_CERT: '/c.pem', NATS_KEY: '/k.pem' }
  t.is(natsUrlOf(all), `${NATS_URL}?cert=%2Fc.pem&key=%2Fk.pem&creds=%2Fu.creds`)
  const cases: [given: object, message: string][] = [
    [
      { NATS_URL: 'nats://a,http://me:secret@b' },
      'NATS_URL: expected nats:// or tls:// with host and port, or a list of these with commas and one user',
    ],
    [{ NATS_CERT: '/c.pem' }, 'NATS_KEY not set: set both of NATS_CERT and NATS_KEY, or none'],
    [{ NATS_KEY: '/k.pem' }, 'NATS_CERT not set: set both of NATS_CERT and NATS_KEY, or none'],
  ]
  for (const [given, message] of cases) t.throws(() => natsUrlOf(given), { message })
  t.throws(() => readConfig({ NATS_CREDS: '/u.creds' }), {
    message: 'NATS_CREDS is set and NATS_URL is not: the embedded NATS needs no such file',
  })
})

test('streams have 1, 3 or 5 replicas, or those that they have', (t) => {
  t.is(readConfig({}).replicas, undefined)
  t.is(readConfig({ STREAM_REPLICAS: '3' }).replicas, 3)
  for (const bad of ['2', '0', '4', 'x']) {
    t.throws(() => readConfig({ STREAM_REPLICAS: bad }), {
      message: `STREAM_REPLICAS "${bad}": use one of 1 3 5`,
    })
  }
})

test('a stream prefix gets its dot, and only plain ones are accepted', (t) => {
  t.is(readConfig({ SWAPTIDE_STREAM_PREFIX: 'blue' }).prefix, 'blue.')
  t.throws(() => readConfig({ SWAPTIDE_STREAM_PREFIX: 'a.b' }), { message: /"a\.b": expected/ })
})

test('metrics are served on a separate port and address', (t) => {
  const absent = readConfig({})
  t.is(absent.metricsPort, undefined)
  t.is(absent.metricsHost, '127.0.0.1')
  const given = readConfig({ METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' })
  t.is(given.metricsPort, 9464)
  t.is(given.metricsHost, '0.0.0.0')
  t.throws(() => readConfig({ METRICS_PORT: '70000' }), { message: /METRICS_PORT "70000"/ })
})

test('the SOL/USD rate to fall back on is a decimal above 0', (t) => {
  t.is(readConfig({}).solUsdFallback, undefined)
  t.is(readConfig({ SOL_USD_FALLBACK: '150.25' }).solUsdFallback, 150.25)
  for (const bad of ['0', '-1', '1e3', 'much']) {
    t.throws(() => readConfig({ SOL_USD_FALLBACK: bad }), {
      message: new RegExp(`"${bad}": expected`),
    })
  }
})

test('origins of pages are a list of URLs, each without its path', (t) => {
  t.deepEqual(readConfig({}).mcpOrigins, [])
  const MCP_ORIGINS = 'https://App.example/chat, http://127.0.0.1:6274'
  t.deepEqual(readConfig({ MCP_ORIGINS }).mcpOrigins, [
    'https://app.example',
    'http://127.0.0.1:6274',
  ])
  t.throws(() => readConfig({ MCP_ORIGINS: 'app.example' }), {
    message: /^MCP_ORIGINS.*: expected URLs that begin with http:\/\/ or https:\/\//,
  })
})

test('where callers are sent for more is a URL of the web', (t) => {
  t.is(readConfig({}).upgradeUrl, undefined)
  t.is(readConfig({ UPGRADE_URL: 'https://a.example/b' }).upgradeUrl, 'https://a.example/b')
  t.throws(() => readConfig({ UPGRADE_URL: 'javascript:1' }), {
    message: 'UPGRADE_URL: expected a URL that begins with http:// or https://',
  })
})

test('a process that is started gets the environment as it was, with the servers in it', (t) => {
  const config = readConfig({ PATH: '/bin', NODE_OPTIONS: undefined, SWAPTIDE_HOME: '/tmp/home' })
  const servers = { databaseUrl: 'postgres://a', natsUrl: 'nats://b', redisUrl: 'redis://c' }
  t.deepEqual(environmentFor(config, servers), {
    PATH: '/bin',
    SWAPTIDE_HOME: '/tmp/home',
    DATABASE_URL: 'postgres://a',
    NATS_URL: 'nats://b',
    REDIS_URL: 'redis://c',
  })
})

test('refuses an unknown variable that begins with SWAPTIDE_ and names the nearest one', (t) => {
  const cases: [name: string, expected: RegExp][] = [
    ['SWAPTIDE_HOM', /^unknown variable "SWAPTIDE_HOM": did you mean "SWAPTIDE_HOME"\?$/],
    ['SWAPTIDE_Home', /did you mean "SWAPTIDE_HOME"\?$/],
    ['SWAPTIDE_PREFIX', /did you mean "SWAPTIDE_STREAM_PREFIX"\?$/],
    ['SWAPTIDE_DATABASE_URL', /did you mean "DATABASE_URL"\?$/],
    ['SWAPTIDE_LOG_LEVEL', /did you mean "LOG_LEVEL"\?$/],
    ['SWAPTIDE_COLOUR', /: use one of SWAPTIDE_HOME SWAPTIDE_DEBIAN_MIRROR SWAPTIDE_CACHE/],
  ]
  for (const [name, message] of cases) {
    t.throws(() => readConfig({ [name]: 'x' }), { instanceOf: ConfigError, message }, name)
  }
  t.notThrows(() => readConfig({ SWAPTIDE_HOM: ' ', SWAP: 'x', TIDE_HOME: 'x' }))
})

test('the table of settings names each description, default and reader once', (t) => {
  for (const [name, setting] of Object.entries<Setting>(SETTINGS)) {
    t.true((setting.default === undefined) !== (setting.absent === undefined), `${name}: default`)
    t.notRegex(setting.about, /\n|\.$/, name)
    t.deepEqual([...new Set(setting.readBy)], [...setting.readBy], name)
    t.true(setting.readBy.length > 0, name)
  }
})

test('every setting refuses a bad value with the expected one', (t) => {
  const free = ['text', 'file']
  for (const [name, { kind }] of Object.entries<Setting>(SETTINGS)) {
    if (free.includes(kind.form)) continue
    const { message } = t.throws(() => readConfig({ [name]: '\x7f bad' }), {
      instanceOf: ConfigError,
    })
    t.regex(message, new RegExp(`^${name}\\b`))
    const expected = kind.form === 'choice' ? kind.choices.join(' ') : expectation(kind)
    t.true(message.includes(expected), message)
  }
})
