import type { Logger } from 'pino'

/** Closes everything in the reverse order of starting, even if closing one part fails. */
export async function closeAll(closers: (() => Promise<unknown>)[], log: Logger): Promise<void> {
  for (const close of closers.reverse()) {
    try {
      await close()
    } catch (error) {
      log.error({ err: error }, 'closing a component failed')
    }
  }
}
