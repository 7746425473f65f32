// Program: SwapStream over the servers of its argument; prints its port. For tests that kill it.

import { recordingLog } from '../recording-log.ts'
import { runSwapStream, type StreamSource } from './swap-stream.ts'

const source = JSON.parse(process.argv[2] ?? '{}') as StreamSource
const { port } = await runSwapStream(source, recordingLog(console.error).log)
console.log(port)
