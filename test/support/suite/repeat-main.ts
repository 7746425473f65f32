/** `npm run test:repeat`: a test file many times on one stack, the exit code 1 where a run failed. */
import { parseArgs } from 'node:util'
import { inRunHome } from '../servers/run-home.ts'
import { repeat } from './repeat.ts'

const USAGE = 'usage: npm run test:repeat -- FILE [--times N] [--match TITLE] [--stop]'
const TIMES = '50'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: TIMES },
    match: { type: 'string' },
    stop: { type: 'boolean', default: false },
  },
})
const [file] = positionals
const times = Number(values.times)
if (file === undefined || positionals.length > 1 || !(Number.isInteger(times) && times > 0)) {
  console.error(USAGE)
  process.exit(2)
}
// A terminal's signal reaches the present run as well.
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort())

await inRunHome(({ withServers }) =>
  withServers(async (env) => {
    const { runs, failures } = await repeat({
      file,
      times,
      args: values.match === undefined ? [] : [`--match=${values.match}`],
      stopsAtFailure: values.stop,
      variables: env,
      signal: interrupted.signal,
      print: (line) => console.log(line),
    })
    if (failures > 0 || runs < times) process.exitCode = 1
  }),
)
