/**
 * The rolling window of a lineage as all processes of the API share it: a run-length log in Redis
 * (`quantum:count`) with its sum beside it, judged and written by one script.
 *
 * ```
 * log    17961234:3  17961240:12  ...  17967001:1     oldest leaves 60 s after its quantum's end
 * state  sum, at (newest quantum), ahead (how far the clock was set back), born, `by:` processes
 * ```
 * Law: the clock is Redis's own and never goes back: one that is set back is read that much ahead. A process
 * that knows of another log (`born`) is told so before anything is counted, and says again what it let in;
 * what is owed is filed under its own time. What a process asks twice counts once. Redis does one thing at
 * a time, so a script takes out and puts back no more of a log than is younger than what is owed: mostly some ms.
 */
import { randomBytes } from 'node:crypto'
import type { Log } from '../../../domain/log.ts'
import { openRedisLink } from '../redis-scripts.ts'
import { WINDOW_QUANTA } from './rolling-window.ts'

/** Counted while Redis was away or before it forgot: how many, how many quanta ago. */
export type Owed = { age: number; count: number }

export type Taking = {
  lineage: string
  cap: number
  /** Requests that ask at once, in order. */
  wanted: number
  owed: readonly Owed[]
  /** Of this process, greater than any before for the lineage, unless what was asked before is `settled`. */
  number: number
  /**
   * That asking was not answered: it counts now if it has not yet, and of those that it wanted so many were
   * let in as are said here.
   */
  settled?: Owed | undefined
  /** The log that the process knows of; absent: any will do. */
  born?: string | undefined
}

export type Taken = {
  /** The first so many are let in. */
  admitted: number
  /** The sum with them. */
  sum: number
  /** Quanta until the oldest that counts leaves. */
  quantaLeft: number
  born: string
}
export type Answered = { kind: 'taken'; taken: Taken } | { kind: 'forgot' }

/** Of one limiter: another's numbers would begin anew under the same name. */
export type LimitStore = {
  /** forgot: the log is another one, nothing was counted. Undefined: Redis did not answer in time. */
  take(taking: Taking): Promise<Answered | undefined>
  /** Pipelines the commands issued within. */
  together(work: () => void): void
  end(): void
}

/** Milliseconds that an idle log is kept: more than its window. */
const KEPT_MS = 70_000
/**
 * Processes that a lineage's state remembers. Beyond, those go whose newest asking has left the window, as
 * after many restarts; or else the one that asked longest ago: only an answer that it missed may count twice.
 */
const PROCESSES_MAX = 64
const REDIS_ANSWER_MS = 25

// KEYS: log, state. ARGV: cap, wanted, owed as `age:count,...`, window in quanta, milliseconds kept,
// born or empty, process, number, settled as `age:count` or empty, processes remembered.
// `by:<process>` is the number of its newest asking, what that let in, and in which quantum: one that comes again,
// or behind a later one, counts nothing. Settled, what it let in is put to when the process did so.
const TAKE = `
local time = redis.call('time')
local clock = math.floor((time[1] * 1000000 + time[2]) / 10000)
local mark = 'by:' .. ARGV[7]
local state = redis.call('hmget', KEYS[2], 'sum', 'at', 'ahead', 'born', mark)
local sum, at, ahead = tonumber(state[1] or 0), tonumber(state[2] or 0), tonumber(state[3] or 0)
local born = state[4] or (time[1] .. '.' .. time[2])
if ARGV[6] ~= '' and ARGV[6] ~= born then return {-1, 0, 0, born} end
local number = tonumber(ARGV[8])
local last, lastAdmitted, lastAt = string.match(state[5] or '0:0:0', '(%d+):(%d+):(%d+)')
local isCounted = tonumber(last) == number
if number < tonumber(last) or (isCounted and ARGV[9] == '') then return false end
if clock + ahead < at then ahead = at - clock end
local now = clock + ahead
local settledAge, settled
if ARGV[3] ~= '' or ARGV[9] ~= '' then
  local runs, oldest = {}, now
  local function file(quantum, count)
    runs[#runs + 1] = {quantum, count}
    oldest = math.min(oldest, quantum)
    sum = sum + count
  end
  if not isCounted then
    for age, count in string.gmatch(ARGV[3], '(%d+):(%d+)') do file(now - age, tonumber(count)) end
  end
  settledAge, settled = string.match(ARGV[9], '(%d+):(%d+)')
  if settled then
    if isCounted and lastAt + ARGV[4] >= now then file(tonumber(lastAt), -lastAdmitted) end
    file(now - settledAge, tonumber(settled))
  end
  while true do
    local quantum, count = string.match(redis.call('lindex', KEYS[1], -1) or '', '(%d+):(%d+)')
    if not quantum or tonumber(quantum) < oldest then break end
    redis.call('rpop', KEYS[1])
    runs[#runs + 1] = {tonumber(quantum), tonumber(count)}
  end
  table.sort(runs, function(a, b) return a[1] < b[1] end)
  for place, run in ipairs(runs) do
    local later = runs[place + 1]
    if later and later[1] == run[1] then
      later[2] = later[2] + run[2]
    elseif run[2] > 0 then
      redis.call('rpush', KEYS[1], string.format('%.0f:%.0f', run[1], run[2]))
    end
  end
end
local left = 0
while true do
  local oldest = redis.call('lindex', KEYS[1], 0)
  if not oldest then
    sum = 0
    break
  end
  local quantum, count = string.match(oldest, '(%d+):(%d+)')
  left = quantum + ARGV[4] + 1 - now
  if left > 0 then break end
  redis.call('lpop', KEYS[1])
  sum = sum - count
  left = 0
end
local admitted = math.min(tonumber(ARGV[2]), math.max(0, ARGV[1] - sum))
if admitted > 0 then
  local newest = redis.call('lindex', KEYS[1], -1)
  local quantum, count = string.match(newest or '0:0', '(%d+):(%d+)')
  if tonumber(quantum) == now then
    redis.call('lset', KEYS[1], -1, string.format('%.0f:%.0f', now, count + admitted))
  else
    redis.call('rpush', KEYS[1], string.format('%.0f:%.0f', now, admitted))
  end
  sum = sum + admitted
  if left == 0 then left = ARGV[4] + 1 end
end
if not state[5] and redis.call('hlen', KEYS[2]) >= 4 + ARGV[10] then
  local fields, first, firstAt = redis.call('hgetall', KEYS[2]), nil, nil
  for place = 1, #fields, 2 do
    local markAt = tonumber(string.match(fields[place + 1], '%d+:%d+:(%d+)'))
    if markAt and markAt + ARGV[4] < now then redis.call('hdel', KEYS[2], fields[place]) end
    if markAt and (not first or markAt < firstAt) then first, firstAt = fields[place], markAt end
  end
  redis.call('hdel', KEYS[2], first)
end
local known = string.format('%.0f:%.0f:%.0f', number, settled or admitted, now - (settledAge or 0))
redis.call('hset', KEYS[2], 'sum', sum, 'at', string.format('%.0f', now), 'ahead', ahead, 'born', born, mark, known)
redis.call('pexpire', KEYS[1], ARGV[5])
redis.call('pexpire', KEYS[2], ARGV[5])
return {admitted, sum, left, born}`

export type LimitStoreOptions = {
  redisUrl: string
  /** Prefix of all Redis keys. */
  prefix: string
  /** Milliseconds that Redis has to answer; absent: 25. */
  answerMs?: number
  /** Absent: 60 s. */
  windowQuanta?: number
}

/** Connects, waiting a little for it; without Redis it goes on trying. */
export async function openLimitStore(options: LimitStoreOptions, log: Log): Promise<LimitStore> {
  const { redisUrl, prefix, answerMs = REDIS_ANSWER_MS, windowQuanta = WINDOW_QUANTA } = options
  // The braces keep both keys of a lineage on one node of a cluster.
  const keysOf = (lineage: string): [string, string] => [
    `${prefix}{${lineage}}:log`,
    `${prefix}{${lineage}}:state`,
  ]
  const id = randomBytes(9).toString('base64url')
  const link = await openRedisLink(
    {
      redisUrl,
      connectionName: 'swaptide-limit',
      answerMs,
      lua: { take: TAKE },
      awayText: 'lost Redis; limiting by a share of the cap per process',
      warmUp: ({ take }) =>
        take(...keysOf('start'), 1, 0, '', windowQuanta, KEPT_MS, '', id, 1, '', PROCESSES_MAX),
    },
    log,
  )
  return {
    async take({ lineage, cap, wanted, owed, number, settled, born: known = '' }) {
      const owing = owed.map(textOf).join(',')
      const settling = settled === undefined ? '' : textOf(settled)
      const keys = keysOf(lineage)
      const of = [cap, wanted, owing, windowQuanta, KEPT_MS, known, id, number, settling] as const
      const answer = await link.ask(() => link.scripts.take(...keys, ...of, PROCESSES_MAX))
      // Null: what comes after a later one has nobody who waits for it.
      if (answer === undefined || answer === null) return undefined
      const [admitted, sum, quantaLeft, born] = answer as [number, number, number, string]
      if (admitted < 0) return { kind: 'forgot' }
      return { kind: 'taken', taken: { admitted, sum, quantaLeft, born } }
    },
    together: link.together,
    end: link.end,
  }
}

const textOf = ({ age, count }: Owed): string => `${age}:${count}`
