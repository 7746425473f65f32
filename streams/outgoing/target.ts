/**
 * Targets that a webhook may be sent to: HTTPS on public addresses, unless the operator of the installation allows
 * private ones. An operator of /admin must not reach the network of the installation by it.
 *
 * Invariant: the address is checked where the connection is opened, after the name was resolved, so that a name that
 * resolved to a public address at creation and to a private one later is refused.
 */
import { lookup as resolveName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { PrivatePolicy } from '../../domain/webhook-target.ts'

export const URL_LENGTH_MAX = 2_000

/** A target that is not allowed; the text has the reason. */
export class TargetRefused extends Error {
  override name = 'TargetRefused'
}

/** Networks that are no public hosts: private, shared, local, reserved, multicast, and those that embed IPv4. */
const BLOCKED: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

const blocked = new BlockList()
for (const [network, bits] of BLOCKED) {
  blocked.addSubnet(network, bits, network.includes(':') ? 'ipv6' : 'ipv4')
}

/** Whether an IP address is not of the public internet. IPv6 that maps IPv4 counts as the latter. */
export function isPrivate(ip: string): boolean {
  const [plain = ''] = ip.split('%')
  const version = isIP(plain)
  return version === 0 || blocked.check(plain, version === 6 ? 'ipv6' : 'ipv4')
}

/** The URL of an endpoint. Throws TargetRefused; names are checked when they are resolved. */
export function readTarget(text: string, policy: PrivatePolicy): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const schemes = policy === 'allow' ? ['https:', 'http:'] : ['https:']
  if (url === undefined || !schemes.includes(url.protocol)) {
    const expected = schemes.map((scheme) => `${scheme}//`).join(' or ')
    const hint =
      url?.protocol === 'http:' ? ': set WEBHOOK_PRIVATE_ADDRESSES=allow to allow HTTP' : ''
    throw new TargetRefused(`expected a URL that begins with ${expected}${hint}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TargetRefused('expected a URL without a user and a password')
  }
  if (url.hash !== '') throw new TargetRefused('expected a URL without a fragment')
  const host = hostOf(url)
  if (policy === 'refuse' && isIP(host) !== 0 && isPrivate(host)) throw refusalOf(host)
  return url
}

/** Host without the brackets of IPv6. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

const refusalOf = (ip: string): TargetRefused =>
  new TargetRefused(`"${ip}" is a private address: set WEBHOOK_PRIVATE_ADDRESSES=allow to allow it`)

/** Resolves a name for a socket and refuses it if one of its addresses is private. */
export function guardedLookup(policy: PrivatePolicy): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const inner =
        policy === 'refuse' ? found.find(({ address }) => isPrivate(address)) : undefined
      if (inner !== undefined) return callback(refusalOf(inner.address), [])
      const [first] = found
      if (options.all === true || first === undefined) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}

const RESOLVE_BOUND_MS = 2_000

/** Throws TargetRefused for a name that resolves to a private address now; one that does not resolve may do so later. */
export async function expectPublic(url: URL, policy: PrivatePolicy): Promise<void> {
  const host = hostOf(url)
  if (policy === 'allow' || isIP(host) !== 0) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const bound = setTimeout(resolve, RESOLVE_BOUND_MS)
  guardedLookup(policy)(host, { all: true }, (error) => {
    if (error instanceof TargetRefused) reject(error)
    else resolve()
  })
  await promise.finally(() => clearTimeout(bound))
}
