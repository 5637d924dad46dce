import type { FastifyBaseLogger } from 'fastify'
import { hashOfAddress } from '../../kernel/address-hash.ts'
import { plainAddress } from '../client-address.ts'
import type { DropReason } from '../connections.ts'
import type { RequestMetrics } from './request-metrics.ts'

interface DropReporter {
  metrics: Pick<RequestMetrics, 'countDroppedConnection'>
  logger: FastifyBaseLogger
  /** Keyed hash of a text, the same in every process of a deployment. */
  hash: (text: string) => string
}

const logEveryMs = 60_000

/** Counts dropped connections, and logs them at most once a minute, because whoever causes them could fill the log. */
export function reportDrops({ metrics, logger, hash }: DropReporter): (reason: DropReason, address: string) => void {
  const dropped = { all: 0, site: 0 }
  let loggedAt = Number.NEGATIVE_INFINITY
  return (reason, address) => {
    metrics.countDroppedConnection(reason)
    dropped[reason] += 1
    if (performance.now() - loggedAt < logEveryMs) return
    loggedAt = performance.now()
    logger.warn(
      { dropped, reason, addressHash: hashOfAddress(hash, plainAddress(address)) },
      'dropping connections: too many',
    )
  }
}
