/** A NATS operator with an account and a user: the settings of a server that trusts it, and the user's credentials file. */
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** First bytes of the text of a key, by what it identifies. */
const KINDS = { operator: 14 << 3, account: 0, user: 20 << 3 } as const
const SEED = 18 << 3

type Kind = keyof typeof KINDS
type Named = { kind: Kind; name: string; seed: string; key: KeyObject }

export function natsCredentials(): { settings: string; creds: string } {
  const [operator, account, user] = [named('operator'), named('account'), named('user')]
  const system = named('account')
  const open = {
    ...{ subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true },
    ...{ conn: -1, leaf: -1 },
  }
  const limits = { ...open, mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const accountToken = token(operator, account, { limits })
  const userToken = token(account, user, { pub: {}, sub: {}, subs: -1, data: -1, payload: -1 })
  return {
    settings: `operator: ${token(operator, operator, {})}
resolver: MEMORY
system_account: ${system.name}
resolver_preload: {
  ${account.name}: ${accountToken}
  ${system.name}: ${token(operator, system, { limits: open })}
}`,
    creds: `-----BEGIN NATS USER JWT-----
${userToken}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${user.seed}
------END USER NKEY SEED------
`,
  }
}

function named(kind: Kind): Named {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url')
  const first = KINDS[kind]
  const seed = [
    SEED | (first >> 5),
    (first & 31) << 3,
    ...bytes(privateKey.export({ format: 'jwk' }).d),
  ]
  const name = written([first, ...bytes(publicKey.export({ format: 'jwk' }).x)])
  return { kind, name, seed: written(seed), key: privateKey }
}

function token(issuer: Named, subject: Named, claims: object): string {
  const part = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url')
  const iat = Math.floor(Date.now() / 1000)
  const body = { jti: randomUUID(), iat, iss: issuer.name, sub: subject.name, name: subject.kind }
  const nats = { ...claims, type: subject.kind, version: 2 }
  const text = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part({ ...body, nats })}`
  return `${text}.${sign(null, Buffer.from(text), issuer.key).toString('base64url')}`
}

/** Base32 of the bytes and their CRC-16, low byte first. */
function written(bytes: readonly number[]): string {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  const bits = [...bytes, crc & 255, crc >> 8]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}
