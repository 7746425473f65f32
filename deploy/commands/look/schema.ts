/**
 * `swaptide schema`: the schema of an interface as the API of this version serves it, for generators of clients. Needs no
 * server and no installation.
 */
import { servedText } from '../../../api/served-text.ts'
import { choiceWord, expectNone, parseArguments, usage } from '../../cli/arguments.ts'
import { type CommandContext, EXIT_OK } from '../../cli/command.ts'

/** Path of the API by the name of an interface. */
const PATHS = {
  graphql: '/schema.graphql',
  openapi: '/openapi.json',
  asyncapi: '/asyncapi.json',
  ingest: '/ingest.schema.json',
} as const
const NAMES = Object.keys(PATHS) as (keyof typeof PATHS)[]

export const described = usage({
  line: 'schema graphql | openapi | asyncapi | ingest',
  options: {},
  notes: [
    'graphql: the schema of /graphql in the schema language. openapi: REST. asyncapi: the WebSocket feed. ingest: the ' +
      'JSON Schema of a line of NDJSON. Each is the text that the API serves without a key, but for the examples of ' +
      'openapi, which an API takes from its own database. Needs no servers.',
  ],
  examples: [
    'swaptide schema graphql > schema.graphql',
    'VENUE_NAMES=programs swaptide schema openapi > openapi.json',
  ],
})

export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const { positionals } = parseArguments(described, argv)
  const [word, ...extra] = positionals
  const name = choiceWord('schema', word, NAMES)
  expectNone(described.line, extra)
  const { venueNames } = context.config
  context.stdout.write(await servedText(PATHS[name], { venueNames }))
  return EXIT_OK
}
