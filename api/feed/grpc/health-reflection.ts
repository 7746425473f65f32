/**
 * Health and reflection of the gRPC server. They need no key, so their requests and calls are bounded.
 *
 * Invariant: requests are at most 4 KiB; the number of open calls and their duration are bounded, and a reflection call
 * buffers one answer. The libraries have no such bounds: they retain every watched name, answer clients that do not
 * read, and send a status again that has not changed.
 */
import {
  type Server,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'
import { service as HEALTH } from 'grpc-health-check'
import { type AnsweringCall, endCall } from './call-end.ts'
import { StreamStatus } from './stream-status.ts'

/** Maximum bytes of a request, which is a name or a query for one. */
const REQUEST_BYTES_MAX = 4 * 1024
const WATCHES_MAX = 200
const REFLECTIONS_MAX = 32
/** Milliseconds between two evaluations of the status. */
const HEALTH_EVERY_MS = 500

type KeylessOptions = {
  /** Maximum duration of a call, and time for its status to reach the client. */
  times: { idleMs: number; endMs: number }
  /** Aborted when the server ends. */
  draining: AbortSignal
}

/** Adds health for these services ('' is the server): all have the status of `isServing`. The result stops it. */
export function addHealth(
  server: Server,
  names: readonly string[],
  isServing: () => boolean,
  options: KeylessOptions,
): () => void {
  const admit = admission(WATCHES_MAX, options)
  const watching = new Set<() => void>()
  const now = () => (isServing() && !options.draining.aborted ? 'SERVING' : 'NOT_SERVING')
  let reported = now()
  const unknown = new StreamStatus(status.NOT_FOUND, `unknown service: use ${quotedList(names)}`)
  type HealthRequest = Record<'service', string>
  server.addService(withSmallRequests(HEALTH as ServiceDefinition), {
    check({ request }: ServerUnaryCall<HealthRequest, object>, answer: sendUnaryData<object>) {
      if (names.includes(request.service)) answer(null, { status: reported })
      else answer(unknown)
    },
    list(_call: unknown, answer: sendUnaryData<object>) {
      const statuses = names.map((name) => [name, { status: reported }])
      answer(null, { statuses: Object.fromEntries(statuses) })
    },
    watch(call: ServerWritableStream<HealthRequest, object>) {
      const isKnown = names.includes(call.request.service)
      const over = admit(call, isKnown ? undefined : unknown)
      if (over === undefined) return
      const report = (): boolean => call.write({ status: reported })
      watching.add(report)
      over.addEventListener('abort', () => watching.delete(report))
      report()
    },
  } as unknown as UntypedServiceImplementation)
  const look = (): void => {
    if (now() === reported) return
    reported = now()
    for (const report of watching) report()
  }
  options.draining.addEventListener('abort', look)
  const looking = setInterval(look, HEALTH_EVERY_MS)
  looking.unref()
  return () => clearInterval(looking)
}

/** Adds both versions of reflection; a call's next request is read only after its last answer was sent. */
export function addReflection(
  server: Server,
  definitions: PackageDefinition,
  options: KeylessOptions,
): void {
  const admit = admission(REFLECTIONS_MAX, options)
  type Call = ServerDuplexStream<object, object>
  const addBounded: Server['addService'] = (definition, given) => {
    const serve = given.ServerReflectionInfo as unknown as (call: Call) => void
    const serveBounded = (call: Call): void => {
      if (admit(call) === undefined) return
      const write = call.write.bind(call) as (answer: object, sent: () => void) => boolean
      call.write = (answer: object): boolean => {
        call.pause()
        return write(answer, () => call.resume())
      }
      serve(call)
    }
    const bounded = { ServerReflectionInfo: serveBounded }
    server.addService(withSmallRequests(definition), bounded as UntypedServiceImplementation)
  }
  new ReflectionService(definitions).addToServer({ addService: addBounded })
}

/**
 * Admits at most `countMax` open calls: returns a signal that is aborted when the call is gone from the wire, or
 * undefined for a call that is refused. Admitted calls end after their maximum duration or when the server shuts down.
 */
function admission(countMax: number, { times, draining }: KeylessOptions) {
  let open = 0
  const full = new StreamStatus(status.RESOURCE_EXHAUSTED, 'too many concurrent calls')
  const old = new StreamStatus(
    status.UNAVAILABLE,
    'the call reached its maximum duration: call again',
  )
  const ending = new StreamStatus(status.UNAVAILABLE, 'the server is shutting down: call again')
  return (call: AnsweringCall, refusal?: StreamStatus): AbortSignal | undefined => {
    const gone = new AbortController()
    const end = (why: StreamStatus): void => {
      if (!gone.signal.aborted) void endCall(call, why, gone.signal, times.endMs)
    }
    const refused = open >= countMax ? full : draining.aborted ? ending : refusal
    open++
    const due = setTimeout(() => end(old), times.idleMs)
    const drain = (): void => end(ending)
    draining.addEventListener('abort', drain)
    call.once('cancelled', () => {
      open--
      clearTimeout(due)
      draining.removeEventListener('abort', drain)
      gone.abort()
    })
    if (refused !== undefined) end(refused)
    return refused === undefined ? gone.signal : undefined
  }
}

function withSmallRequests(definition: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(definition).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): unknown => {
      if (bytes.length > REQUEST_BYTES_MAX) throw new RangeError(`over ${REQUEST_BYTES_MAX} bytes`)
      return method.requestDeserialize(bytes)
    }
    return [name, { ...method, requestDeserialize }]
  })
  return Object.fromEntries(methods) as ServiceDefinition
}

const quotedList = (names: readonly string[]): string =>
  names.map((name) => `"${name}"`).join(' or ')
