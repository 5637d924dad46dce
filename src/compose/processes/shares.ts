import { defaultLimits, type UpstreamLimits } from '../../adapters/outbound-http/limits.ts'
import { defaultServerLimits, type ServerLimits } from '../../http/server-limits.ts'

/*
 * Each process limits by itself what it has open. With several processes, each gets its share, so that together they keep the limit.
 */

const shareOf = (limit: number, processes: number): number => Math.ceil(limit / processes)

/** How many connections one of these processes accepts. */
export function shareOfConnections(processes: number): Pick<ServerLimits, 'connections' | 'connectionsPerSite'> {
  const { connections, connectionsPerSite } = defaultServerLimits
  return { connections: shareOf(connections, processes), connectionsPerSite: shareOf(connectionsPerSite, processes) }
}

/** How many calls to an upstream one of these processes sends or keeps waiting. */
export function shareOfUpstreams(processes: number): Pick<UpstreamLimits, 'concurrency' | 'queue'> {
  const { concurrency, queue } = defaultLimits
  return { concurrency: shareOf(concurrency, processes), queue: shareOf(queue, processes) }
}
