/** Rules between settings: variables that are set together or not at all. Errors are appended to `errors`. */
import { resolve } from 'node:path'
import { type NatsFiles, withNatsFiles } from '../../streams/nats/nats-url.ts'
import type { Values } from './parse.ts'

export type ServerUrls = { databaseUrl: string; natsUrl: string; redisUrl: string }

/** A pooler of transactions has no sessions: code that needs one must be able to connect past it. */
export function poolerWithDirectUrl(
  { PG_POOLER: pooler, DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: directUrl }: Values,
  errors: string[],
): string | undefined {
  if (pooler === 'none') {
    if (directUrl !== undefined) {
      errors.push(
        'DATABASE_DIRECT_URL without a pooler: set PG_POOLER to transaction, or only DATABASE_URL',
      )
    }
    return undefined
  }
  if (databaseUrl === undefined || directUrl === undefined) {
    errors.push(
      'PG_POOLER "transaction": set DATABASE_URL to the pooler and DATABASE_DIRECT_URL to the server itself',
    )
  }
  return directUrl
}

/** External servers are configured as a whole: a mix with embedded ones would split an installation. */
export function allServersOrNone(values: Values, errors: string[]): ServerUrls | undefined {
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl } = values
  const files = natsFiles(values, errors)
  if (databaseUrl && natsUrl && redisUrl) {
    return { databaseUrl, natsUrl: withNatsFiles(natsUrl, files), redisUrl }
  }
  const urls = Object.entries({
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    REDIS_URL: redisUrl,
  })
  const absent = urls.filter(([, value]) => value === undefined).map(([name]) => name)
  if (absent.length < urls.length) {
    errors.push(
      `${absent.join(' and ')} not set: set all of DATABASE_URL, NATS_URL and REDIS_URL, or none`,
    )
  }
  return undefined
}

/** The files that an access to an external NATS needs, by absolute paths. */
function natsFiles(values: Values, errors: string[]): NatsFiles {
  const given = {
    NATS_CREDS: values.NATS_CREDS,
    NATS_CA: values.NATS_CA,
    NATS_CERT: values.NATS_CERT,
    NATS_KEY: values.NATS_KEY,
  }
  const [first] = Object.entries(given).filter(([, file]) => file !== undefined)
  if (first !== undefined && values.NATS_URL === undefined) {
    errors.push(`${first[0]} is set and NATS_URL is not: the embedded NATS needs no such file`)
  }
  if ((values.NATS_CERT === undefined) !== (values.NATS_KEY === undefined)) {
    const absent = values.NATS_CERT === undefined ? 'NATS_CERT' : 'NATS_KEY'
    errors.push(`${absent} not set: set both of NATS_CERT and NATS_KEY, or none`)
  }
  const [creds, ca, cert, key] = Object.values(given).map((file) => file && resolve(file))
  return { creds, ca, cert, key }
}

/** A standby of the embedded server would follow none of its changes of port and password. */
export function standbysOfExternal(
  { DATABASE_READ_URL: readUrls, DATABASE_URL: databaseUrl }: Values,
  errors: string[],
): void {
  if (readUrls === undefined || databaseUrl !== undefined) return
  errors.push('DATABASE_READ_URL without DATABASE_URL: standbys are those of an external primary')
}

/** TLS needs the certificate and its key. */
export function bothTlsFilesOrNone(
  { GRPC_TLS_CERT: certificate, GRPC_TLS_KEY: key }: Values,
  errors: string[],
): { certificate: string; key: string } | undefined {
  if (certificate === undefined && key === undefined) return undefined
  if (certificate !== undefined && key !== undefined) return { certificate, key }
  const absent = certificate === undefined ? 'GRPC_TLS_CERT' : 'GRPC_TLS_KEY'
  errors.push(`${absent} not set: set both of GRPC_TLS_CERT and GRPC_TLS_KEY, or none`)
  return undefined
}

/** Only sealed swaps are dropped. */
export function droppedWhereSealed(
  { HISTORY_DAYS: days, SEAL_AFTER_HOURS: hours }: Values,
  errors: string[],
): number | undefined {
  if (days !== undefined && hours === undefined) {
    errors.push('HISTORY_DAYS without SEAL_AFTER_HOURS: only sealed swaps are dropped, set both')
  }
  return days
}
