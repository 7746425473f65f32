/** Where SwapStream listens, as the environment says. */
import type { GrpcListening } from '../../api/feed/grpc/server.ts'
import type { Config } from '../config.ts'

export function grpcOf({ host, grpcPort, grpcTls }: Config): GrpcListening {
  return { host, port: grpcPort, ...(grpcTls === undefined ? {} : { tls: grpcTls }) }
}
