import type { Logger } from 'pino'
import { createBorrowedCounters } from '../../adapters/call-counter/borrowed.ts'
import type { Config } from '../../config/config.ts'
import type { Secrets } from '../../config/secrets.ts'
import { type ServingProcess, serve } from '../serve.ts'
import { connectPeer } from './peer.ts'
import type { AskedOfChild, AskedOfParent } from './questions.ts'

/** The time limit of stopping. After it, the process ends, and others recover interrupted work. */
const maxStopMs = 45_000

/**
 * Serves requests as one of several processes of a parent, until the parent says so or ends, or until SIGTERM. Signals of a whole process
 * group, such as Ctrl-C, are the parent's to handle.
 */
export async function serveAsChild(given: { config: Config; secrets: Secrets; log: Logger }): Promise<void> {
  const { log } = given
  let service: ServingProcess | undefined
  let isEnding = false

  const end = (how: 'stop' | 'retire'): undefined => {
    // The parent may stop while this process still waits for its clients.
    if (isEnding && how === 'stop') service?.stop()
    if (!isEnding) endBy(how)
    isEnding = true
    return undefined
  }
  async function endBy(how: 'stop' | 'retire'): Promise<void> {
    if (service === undefined) process.exit(0)
    log.info(how === 'stop' ? 'process stopping' : 'process retiring')
    if (how === 'retire') await service.retire()
    setTimeout(() => {
      log.error('stopping a process took too long and was aborted')
      process.exit(1)
    }, maxStopMs).unref()
    await service.stop()
    // If the parent does not answer, only its sums are lower.
    await parent.ask('lastMetrics', await service.readMetrics()).catch(() => undefined)
    log.info('process stopped')
    process.exit(0)
  }

  const parent = connectPeer<AskedOfParent, AskedOfChild>(
    {
      send: (message, onSent) => process.send?.(message, undefined, undefined, onSent),
      onMessage: (listener) => process.on('message', listener),
    },
    {
      recall: (name) => borrowed.endLoan(name),
      metrics: () => service?.readMetrics() ?? [],
      stop: () => end('stop'),
      retire: () => end('retire'),
    },
  )
  const borrowed = createBorrowedCounters({
    add: (counted) => parent.ask('add', counted),
    read: (counted) => parent.ask('read', counted),
    borrow: (counted) => parent.ask('borrow', counted),
  })
  process.on('SIGTERM', () => end('stop'))
  process.on('SIGINT', () => undefined)
  process.on('SIGHUP', () => undefined)

  const { privateUrl, ...settings } = await parent.ask('settings', undefined)
  service = await serve({
    ...given,
    fromParent: {
      ...settings,
      preparedByParent: { privateUrl },
      counters: borrowed.counters,
      renderMetrics: () => parent.ask('metrics', undefined),
    },
  })
  await parent.ask('ready', undefined)
}
