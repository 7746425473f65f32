/** Names with an empty word that a format or a client library brings along: exceptions of the check of names. */

/** `path name`: why the name is not ours to choose. */
export const NAMES_FROM_ELSEWHERE: Record<string, string> = {
  'api/openapi/example-of.ts items': 'the keyword of JSON Schema',
  'api/graphql/shapes.ts items': 'the keyword of JSON Schema',
  'api/serving/csv.ts items': 'the keyword of JSON Schema',
  'api/routing/json.ts items': 'the keyword of JSON Schema',
  'api/routing/parameters.ts items': 'the keyword of JSON Schema',
  'test/api/graphql/arguments.test.ts items': 'the keyword of JSON Schema',
  'test/api/openapi/operations.test.ts items': 'the keyword of JSON Schema',
  'api/feed/grpc/server.ts GetStreamInfo': 'a call of swap_stream.proto',
  'deploy/cli/explain-error.ts address': "a field of Node's connection errors",
  'streams/solana/geyser/tags.ts SUBSCRIBE_UPDATE_TRANSACTION_INFO': 'a message of geyser.proto',
  'streams/nats/read-ahead.ts data': 'a field of a message of the NATS client',
  'streams/nats/read-ahead.ts info': 'a field of a message of the NATS client',
  'streams/nats/jetstream.ts manager': 'the word of the NATS client: JetStreamManager',
  'test/support/chain/forms.ts data': 'a field of JSON-RPC: the payload of an instruction',
  'test/support/chain/wire-form.ts data': 'a field of JSON-RPC: the payload of an instruction',
  'test/support/chain/wire-form.ts loadedAccountsDataSizeLimit': 'a field of JSON-RPC',
  'api/openapi/declarations.ts items': 'the keyword of JSON Schema',
  'web/client/answers.ts data': 'a field of the answers of the API',
  'web/client/event-list.ts data': 'a field of the answers of the API',
  'web/client/feed.ts data': 'a field of the frames of the feed',
  'workers/pool/store.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/verify/verify.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/verify/ledger.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/verify/ranking.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/ledger/background.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/ledger/replay.ts address': 'the column of the dictionaries, token and wallet alike',
  'workers/runtime/ids/address-ids.ts address':
    'the column of the dictionaries, token and wallet alike',
  'domain/log.ts info': "the shape of pino's logger",
}
