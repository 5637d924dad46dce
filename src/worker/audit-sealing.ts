import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Databases } from '../db/databases.ts'
import { sealNewEntries } from '../domain/audit/seal-new-entries.ts'

/** The pause between two looks for new entries. */
const pauseMs = 2_000

/**
 * Seals new entries of the audit log every two seconds. Any number of processes can do so together: the database lets one at a time.
 * Logs the first of several failures in a row, and goes on.
 */
export function startAuditSealing({ databases, log }: { databases: Databases; log: Logger }): {
  stop(): Promise<void>
} {
  const stopping = new AbortController()
  const { signal } = stopping
  let isFailing = false

  async function seal(): Promise<void> {
    try {
      await sealNewEntries({ databases }, signal)
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error({ err: error }, 'sealing the audit log failed')
      isFailing = true
    }
  }

  const running = (async () => {
    while (!signal.aborted) {
      await seal()
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
