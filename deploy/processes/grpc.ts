/** The address of SwapStream, from the environment. */
import type { GrpcListening } from '../../api/feed/grpc/server.ts'
import type { Config } from '../config.ts'

export function grpcOf({ host, grpcPort, grpcTls }: Config): GrpcListening {
  return { host, port: grpcPort, ...(grpcTls === undefined ? {} : { tls: grpcTls }) }
}
