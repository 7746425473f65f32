/** Messages of PostgreSQL's protocol, as a server or a pooler writes them. */

/** `length` is what the message states, by default its own. */
export function frame(code: string, body: string, length = body.length + 4): Buffer {
  const head = Buffer.alloc(5)
  head.write(code, 'latin1')
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, Buffer.from(body, 'latin1')])
}

/** PgBouncer writes it to a client when the server's connection has died, in the middle of any message. */
export const POOLER_ERROR = frame('E', 'SFATAL\0VFATAL\0C08P01\0Mserver conn crashed?\0\0')
