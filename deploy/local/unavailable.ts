// The one error that means "this host cannot have the embedded stack". It is not a bug of Swaptide: the message names
// the two other ways to the same three servers.

const OTHER_WAYS =
  'Set DATABASE_URL, NATS_URL and REDIS_URL to servers of your own (PostgreSQL 17 with ' +
  'TimescaleDB 2.19, NATS 2.10 with JetStream, Redis 8), or run "docker compose -f ' +
  'deploy/compose.yaml up", which is the same stack from images.'

export class StackUnavailable extends Error {
  override name = 'StackUnavailable'

  constructor(reason: string, options?: ErrorOptions) {
    super(`the embedded stack cannot be had here: ${reason}. ${OTHER_WAYS}`, options)
  }
}
