import { spawnSync } from 'node:child_process'

/* Counts in a real Redis, which REDIS_TEST_URL names; what is left there expires within a minute. */

if ((process.env.REDIS_TEST_URL ?? '') === '') {
  console.error('Name a Redis: REDIS_TEST_URL=redis://127.0.0.1:6379 npm run test:redis')
  process.exit(2)
}
const { status } = spawnSync(process.execPath, ['--test', 'test/rate-limits/counters.test.ts'], { stdio: 'inherit' })
process.exit(status ?? 1)
