/** Rules between settings: variables that are set together or not at all. Errors are appended to `errors`. */
import type { Values } from './parse.ts'

export type ServerUrls = { databaseUrl: string; natsUrl: string; redisUrl: string }

/** External servers are configured as a whole: a mix with embedded ones would split an installation. */
export function allServersOrNone(values: Values, errors: string[]): ServerUrls | undefined {
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, REDIS_URL: redisUrl } = values
  if (databaseUrl && natsUrl && redisUrl) return { databaseUrl, natsUrl, redisUrl }
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
