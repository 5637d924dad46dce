import { setImmediate } from 'node:timers/promises'

/** Loads `serve` in parts, because loading blocks the process: between two parts, the start of PostgreSQL goes on. */
export async function loadServe(): Promise<typeof import('../serve.ts')['serve']> {
  const parts = [
    () => import('pg'),
    () => import('fastify'),
    () => import('ajv'),
    () => import('../../domain/quotes/create-quote.ts'),
    () => import('../open-database.ts'),
    () => import('../../http/register-route.ts'),
    () => import('../compose.ts'),
    () => import('../../http/server.ts'),
  ]
  for (const load of parts) {
    await setImmediate()
    await load()
  }
  return (await import('../serve.ts')).serve
}
