/** How the servers' tools receive an installation's URLs: passwords by variables, never by arguments. */
import test from 'ava'
import { postgresAccess, redisAccess, toolVariables } from '../../deploy/processes/server-tools.ts'

test('a PostgreSQL URL becomes variables of libpq', (t) => {
  t.deepEqual(postgresAccess('postgres://me:p%2Fs%25@db:6432/swap%20s?sslmode=require'), {
    args: [],
    variables: {
      PGCLIENTENCODING: 'UTF8',
      PGHOST: 'db',
      PGPORT: '6432',
      PGUSER: 'me',
      PGPASSWORD: 'p/s%',
      PGDATABASE: 'swap s',
      PGSSLMODE: 'require',
    },
  })
  t.deepEqual(postgresAccess('postgresql://[::1]/x').variables, {
    PGCLIENTENCODING: 'UTF8',
    PGHOST: '::1',
    PGDATABASE: 'x',
  })
  t.is(postgresAccess('postgres:///x?host=/run/postgresql').variables.PGHOST, '/run/postgresql')
})

test('a Redis URL becomes arguments, its password a variable', (t) => {
  t.deepEqual(redisAccess('redis://:s3cret@127.0.0.1:7000'), {
    args: ['-h', '127.0.0.1', '-p', '7000'],
    variables: { REDISCLI_AUTH: 's3cret' },
  })
  t.deepEqual(redisAccess('rediss://me:s%40@cache/4'), {
    args: ['-h', 'cache', '-p', '6379', '-n', '4', '--user', 'me', '--tls'],
    variables: { REDISCLI_AUTH: 's@' },
  })
  t.deepEqual(redisAccess('redis://cache').variables, {})
})

test('ignores another connection in the environment of the caller', (t) => {
  const environment = {
    TERM: 'xterm',
    PAGER: 'less',
    PGHOST: 'elsewhere',
    PGSERVICE: 'other',
    PGPASSFILE: '/some/file',
    PGSSLMODE: 'disable',
    PGAPPNAME: 'mine',
  }
  t.deepEqual(toolVariables(environment, postgresAccess('postgres://me:pw@db/x')), {
    TERM: 'xterm',
    PAGER: 'less',
    PGAPPNAME: 'mine',
    PGCLIENTENCODING: 'UTF8',
    PGHOST: 'db',
    PGUSER: 'me',
    PGPASSWORD: 'pw',
    PGDATABASE: 'x',
  })
})
