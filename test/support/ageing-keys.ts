import { rawRows } from './customer-fixtures.ts'
import type { ServiceUnderTest } from './service.ts'

/**
 * Lets keys of hashes age six times as fast, so that no test waits a minute for a replacement. Call what it returns
 * before the service stops.
 */
export function ageHashKeys(service: ServiceUnderTest): () => Promise<void> {
  let ageing: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    ageing = rawRows(service, `update key_ring set made_at = made_at - interval '5 seconds' where kind = 'hashes'`)
  }, 1_000)
  return async () => {
    clearInterval(timer)
    await ageing
  }
}
