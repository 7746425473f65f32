/**
 * Runs a test file many times alongside a program that uses a whole core: a test that depends on time fails there sooner
 * than only. Databases, streams and folders are each run's own.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const AVA = join(import.meta.dirname, '../check/ava.ts')
/** A busy loop that ends with the program that started it, however that ends. */
const BUSY = 'const parent = process.ppid; while (process.ppid === parent);'

export type Repeats = {
  file: string
  times: number
  /** Ava's further arguments. */
  args: readonly string[]
  /** No run follows one that failed. */
  stopsAtFailure: boolean
  /** Added to the environment of this process. */
  variables: NodeJS.ProcessEnv
  /** No run follows an interruption. */
  signal: AbortSignal
  print(line: string): void
}

/** Prints each run's result, and the output of one that failed. */
export async function repeat(repeats: Repeats): Promise<{ runs: number; failures: number }> {
  const { file, times, stopsAtFailure, signal, print } = repeats
  const busy = spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' })
  const seconds: number[] = []
  let failures = 0
  try {
    while (seconds.length < times && !signal.aborted && !(stopsAtFailure && failures > 0)) {
      const beganAt = performance.now()
      const { isGood, output } = await runOnce(repeats)
      seconds.push((performance.now() - beganAt) / 1_000)
      if (!isGood) failures += 1
      const took = `${isGood ? 'passed' : 'failed'} after ${seconds.at(-1)?.toFixed(1)} s`
      print(`run ${seconds.length} of ${times} ${took}`)
      if (!isGood) print(output)
    }
  } finally {
    busy.kill()
  }
  const runs = seconds.length
  const median = seconds.toSorted((one, other) => one - other)[Math.floor(runs / 2)] ?? 0
  print(`${file}: ${failures} of ${runs} runs failed, ${median.toFixed(1)} s each in the median`)
  return { runs, failures }
}

async function runOnce(repeats: Repeats): Promise<{ isGood: boolean; output: string }> {
  const { file, args, variables } = repeats
  const env = { ...process.env, ...variables }
  const options = { env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] }
  const child = spawn(process.execPath, [AVA, file, ...args], options)
  const code = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const output = await Promise.all([text(child.stdout), text(child.stderr)])
  return { isGood: (await code) === 0, output: output.join('') }
}
