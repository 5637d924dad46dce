import { enableCompileCache, flushCompileCache } from 'node:module'

/* One of several processes that serve requests. Its parent, `housebill serve` with PROCESSES, starts it. */
enableCompileCache()

try {
  const { serveAsConfigured } = await import('./serve-as-child.ts')
  await serveAsConfigured()
  flushCompileCache()
} catch (error) {
  const { reportFailure } = await import('../report-failure.ts')
  await reportFailure(error, false)
}
