/**
 * Ava, with a limit of time for each test file (threads.ts) and room for young objects in the thread of each test file. V8 begins a thread with 1 MiB of them and collects
 * dozens of times while the thread loads what its test imports. On ava's own command line its threads refuse the flag.
 */
import { setFlagsFromString } from 'node:v8'
import { limitThreads } from './threads.ts'

limitThreads()
setFlagsFromString('--min-semi-space-size=16')
await import(new URL('../../../node_modules/ava/entrypoints/cli.js', import.meta.url).href)
