/**
 * Addresses of the internet and networks of them, as texts. Pure.
 *
 * All are integers of 128 bits, IPv4 in the part of IPv6 that is reserved for it, so that 203.0.113.9 and
 * ::ffff:203.0.113.9 are one address.
 */

/** `bits`: leading bits that all its addresses share. */
export type Network = { first: bigint; bits: number }

const BITS = 128
const IPV4_BITS = 32
const IPV4_BEGINS = 0xffff00000000n
const IPV4_MASK = 0xffffffffn
const GROUPS = 8
const GROUP_BITS = 16n
/** One client of IPv6 has all of a network of this width. */
const CLIENT_BITS = 64

/** The address as an integer, without brackets, port and zone; undefined for any other text. */
export function parseAddress(text: string): bigint | undefined {
  const given = text.trim()
  const [, bracketed] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(given) ?? []
  const [, numbered] = /^([\d.]+):\d{1,5}$/.exec(given) ?? []
  const [bare = ''] = (bracketed ?? numbered ?? given).split('%')
  return bare.includes(':') ? parseIpv6(bare) : parseIpv4(bare)
}

/** `10.0.0.0/8`, or a single address; undefined for any other text. */
export function parseNetwork(text: string): Network | undefined {
  const [given = '', width, ...more] = text.trim().split('/')
  const first = parseAddress(given)
  if (first === undefined || more.length > 0 || /[[\]%]|^\d+\.[\d.]+:/.test(given)) return undefined
  if (width === undefined) return { first, bits: BITS }
  const widthMax = given.includes(':') ? BITS : IPV4_BITS
  if (!/^\d{1,3}$/.test(width) || Number(width) > widthMax) return undefined
  return { first, bits: BITS - widthMax + Number(width) }
}

export function holdsAddress({ first, bits }: Network, ip: bigint): boolean {
  const rest = BigInt(BITS - bits)
  return first >> rest === ip >> rest
}

/** IPv4 as it is written, IPv6 by the network that one client has. */
export function clientText(ip: bigint): string {
  if (ip >> BigInt(IPV4_BITS) === IPV4_BEGINS >> BigInt(IPV4_BITS)) {
    const bytes = [24n, 16n, 8n, 0n].map((shift) => ((ip & IPV4_MASK) >> shift) & 0xffn)
    return bytes.join('.')
  }
  const groups = Array.from({ length: CLIENT_BITS / Number(GROUP_BITS) }, (_, at) =>
    ((ip >> (GROUP_BITS * BigInt(GROUPS - 1 - at))) & 0xffffn).toString(16),
  )
  return `${groups.join(':')}::/${CLIENT_BITS}`
}

function parseIpv4(text: string): bigint | undefined {
  const bytes = text.split('.')
  const isWritten = (byte: string): boolean =>
    /^(?:0|[1-9]\d{0,2})$/.test(byte) && Number(byte) < 256
  if (bytes.length !== 4 || !bytes.every(isWritten)) return undefined
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) | IPV4_BEGINS
}

/** The parser of URLs reads every form and writes the shortest one. */
function parseIpv6(text: string): bigint | undefined {
  const parsed = /^[\da-f:.]+$/i.test(text) ? URL.parse(`http://[${text}]`) : null
  if (parsed === null) return undefined
  const [head = '', tail] = parsed.hostname.slice(1, -1).split('::')
  const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')]
  const between = Array<string>(GROUPS - before.length - after.length).fill('0')
  return [...before, ...between, ...after].reduce(
    (sum, group) => (sum << GROUP_BITS) | BigInt(`0x${group}`),
    0n,
  )
}
