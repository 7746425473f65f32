/**
 * How the servers' tools reach the servers of an installation. Law: a password goes by the environment, which the host
 * shows to the same account only, never by an argument, which `ps` shows to everybody.
 */
import type { Environment } from '../config.ts'

export type ToolAccess = { args: readonly string[]; variables: Readonly<Record<string, string>> }

/** Variables that libpq would read from the caller's environment instead of the installation's. */
const OF_CONNECTIONS =
  /^PG(HOST|HOSTADDR|PORT|USER|PASSWORD|PASSFILE|DATABASE|SERVICE|SERVICEFILE|SSL\w*|REQUIRE\w*)$/
/** Parameters of a PostgreSQL URL that libpq also reads from variables. */
const URL_PARAMETERS: Readonly<Record<string, string>> = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  options: 'PGOPTIONS',
  host: 'PGHOST',
}

export function postgresAccess(databaseUrl: string): ToolAccess {
  const url = new URL(databaseUrl)
  const variables: Record<string, string> = { PGCLIENTENCODING: 'UTF8' }
  const set = (name: string, value: string): void => {
    if (value !== '') variables[name] = value
  }
  set('PGHOST', url.hostname.replace(/^\[|\]$/g, ''))
  set('PGPORT', url.port)
  set('PGUSER', decodeURIComponent(url.username))
  set('PGPASSWORD', decodeURIComponent(url.password))
  set('PGDATABASE', decodeURIComponent(url.pathname.slice(1)))
  for (const [parameter, name] of Object.entries(URL_PARAMETERS)) {
    set(name, url.searchParams.get(parameter) ?? '')
  }
  return { args: [], variables }
}

export function redisAccess(redisUrl: string): ToolAccess {
  const url = new URL(redisUrl)
  const args = [
    '-h',
    url.hostname.replace(/^\[|\]$/g, ''),
    '-p',
    url.port === '' ? '6379' : url.port,
  ]
  const database = url.pathname.slice(1)
  if (database !== '') args.push('-n', database)
  if (url.username !== '') args.push('--user', decodeURIComponent(url.username))
  if (url.protocol === 'rediss:') args.push('--tls')
  const password = decodeURIComponent(url.password)
  return { args, variables: password === '' ? {} : { REDISCLI_AUTH: password } }
}

/** The caller's environment (terminal, pager, editor), with this connection and no other. */
export function toolVariables(
  environment: Environment,
  { variables }: ToolAccess,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !OF_CONNECTIONS.test(name)) found[name] = value
  }
  return { ...found, ...variables }
}
