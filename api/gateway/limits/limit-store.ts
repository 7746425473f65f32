/**
 * Shared rolling window of a lineage: a run-length log in Redis (`quantum:count`) and its sum, one Lua script.
 *
 * ```
 * log    17961234:3  17961240:12  ...  17967001:1     the oldest expires 60 s after its quantum's end
 * state  sum, at (newest quantum), ahead (how far the clock was set back), born (id), `by:` processes
 * ```
 * Invariants: time is that of Redis, made monotonic by adding `ahead`. A process that knows another log (`born`) gets
 * no decision, and reports again what it admitted; owed counts are filed under their own quanta. A call is counted
 * once, however often it is sent. Redis is single-threaded, so a script rewrites only the part of the log after them.
 */
import { randomBytes } from 'node:crypto'
import type { Log } from '../../../domain/log.ts'
import { openRedisLink } from '../redis-scripts.ts'
import { WINDOW_QUANTA } from './rolling-window.ts'

/** Requests that were admitted while Redis was down or before it lost its data; `age`: quanta ago. */
export type Owed = { age: number; count: number }

export type Taking = {
  lineage: string
  cap: number
  /** Number of requests to decide. */
  wanted: number
  owed: readonly Owed[]
  /** Call number of this process: rises with each call for the lineage, except a call that is retried as `settled`. */
  number: number
  /**
   * Marks a retry of an unanswered call: it is counted now if it was not yet, with this number of admitted requests
   * in place of the script's own decision.
   */
  settled?: Owed | undefined
  /** Id of the log that the process knows; absent: any log will do. */
  born?: string | undefined
}

export type Taken = {
  /** Number of requests that are admitted, in order. */
  admitted: number
  /** Sum of the window, these included. */
  sum: number
  /** Quanta until the oldest count expires. */
  quantaLeft: number
  born: string
}
export type Answered = { kind: 'taken'; taken: Taken } | { kind: 'forgot' }

/** Serves one limiter only: a second one would repeat call numbers under the same process id. */
export type LimitStore = {
  /** `forgot`: the log is another one and nothing was counted. Undefined: Redis did not answer in time. */
  take(taking: Taking): Promise<Answered | undefined>
  /** Pipelines the commands that `work` issues. */
  together(work: () => void): void
  end(): void
}

/** Milliseconds after which an idle log expires: more than its window. */
const TTL_MS = 70_000
/**
 * Processes in the state of a lineage. At the bound those are evicted whose last call is older than the window, as
 * after many restarts, and the one with the oldest call: only a retry of an unanswered call of it could count twice.
 */
const PROCESSES_MAX = 64
const REDIS_ANSWER_MS = 25

// KEYS: log, state. ARGV: cap, wanted, owed as `age:count,...`, window in quanta, expiry in milliseconds,
// born or empty, process, number, settled as `age:count` or empty, processes max.
// `by:<process>` is its newest call as `number:admitted:quantum`: a call that is repeated, or arrives after a later
// one, counts nothing. A retry with `settled` moves the admitted count to the quantum in which the process decided.
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
  for index, run in ipairs(runs) do
    local later = runs[index + 1]
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
  for at = 1, #fields, 2 do
    local markAt = tonumber(string.match(fields[at + 1], '%d+:%d+:(%d+)'))
    if markAt and markAt + ARGV[4] < now then redis.call('hdel', KEYS[2], fields[at]) end
    if markAt and (not first or markAt < firstAt) then first, firstAt = fields[at], markAt end
  end
  redis.call('hdel', KEYS[2], first)
end
local known = string.format('%.0f:%.0f:%.0f', number, settled or admitted, now - (settledAge or 0))
redis.call('hset', KEYS[2], 'sum', sum, 'at', string.format('%.0f', now), 'ahead', ahead, 'born', born, mark, known)
redis.call('pexpire', KEYS[1], ARGV[5])
redis.call('pexpire', KEYS[2], ARGV[5])
return {admitted, sum, left, born}`

type LimitStoreOptions = {
  redisUrl: string
  /** Prefix of all Redis keys. */
  prefix: string
  /** Milliseconds that Redis has to answer; absent: 25. */
  answerMs?: number
  /** Absent: 60 s. */
  windowQuanta?: number
}

/** Connects, and waits at most 2 s for it; without Redis it returns and reconnects in the background. */
export async function openLimitStore(options: LimitStoreOptions, log: Log): Promise<LimitStore> {
  const { redisUrl, prefix, answerMs = REDIS_ANSWER_MS, windowQuanta = WINDOW_QUANTA } = options
  // Hash tag: both keys of a lineage are on one node of a Redis cluster.
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
      fallback: 'limiting by a share of the cap per process',
      warmUp: ({ take }) =>
        take(...keysOf('start'), 1, 0, '', windowQuanta, TTL_MS, '', id, 1, '', PROCESSES_MAX),
    },
    log,
  )
  return {
    async take({ lineage, cap, wanted, owed, number, settled, born: known = '' }) {
      const owing = owed.map(textOf).join(',')
      const settling = settled === undefined ? '' : textOf(settled)
      const keys = keysOf(lineage)
      const of = [cap, wanted, owing, windowQuanta, TTL_MS, known, id, number, settling] as const
      const answer = await link.request(() => link.scripts.take(...keys, ...of, PROCESSES_MAX))
      // Null: the call arrived after a later one, and its caller has given up.
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
