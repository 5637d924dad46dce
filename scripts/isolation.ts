// Tries to get at another partner's rows in every way there is: `npm run test:isolation`. Says how many accesses were tried and
// refused; ends with exit code 1 where one was not.
import { spawnSync } from 'node:child_process'
import { totals } from '../test/isolation/foreign-accesses.ts'

const files = [
  'test/isolation/*.test.ts',
  'test/coverage/foreign-ids.test.ts',
  'test/coverage/row-level-security.test.ts',
]
const parameters = ['--test', '--test-concurrency=1', '--test-global-setup=test/support/postgres-for-run.ts', ...files]
const { status, stdout } = spawnSync(process.execPath, parameters, {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
})

const lines = stdout.split('\n')
if (status !== 0) console.log(lines.filter((line) => !line.startsWith('✔')).join('\n'))
const told = lines.flatMap((line) => {
  const [, tried, refused] = totals.exec(line) ?? []
  return tried === undefined ? [] : [{ tried: Number(tried), refused: Number(refused) }]
})
const sum = (of: 'tried' | 'refused') => told.reduce((total, each) => total + each[of], 0)
const tests = lines.filter((line) => line.startsWith('✔')).length
console.log(`foreign accesses tried: ${sum('tried')}, refused: ${sum('refused')}; ${tests} tests passed`)
process.exitCode = status === 0 && told.length > 0 && sum('tried') === sum('refused') ? 0 : 1
