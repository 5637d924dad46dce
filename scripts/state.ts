// Several clients at once on one household, over and over: `npm run test:state`. SEED and RUNS say which cases and how many, CASE a single
// one, as a failure names it. Ends with exit code 1 where something did not hold afterwards.
import { runConcurrentClients } from '../test/state/concurrent-clients.ts'

const seed = wholeNumber('SEED') ?? Math.floor(Math.random() * 1_000_000)
const runs = wholeNumber('RUNS') ?? 300
const path = process.env.CASE

console.log(`SEED=${seed} RUNS=${runs}${path === undefined ? '' : ` CASE=${path}`}`)
const report = await runConcurrentClients({ seed, runs, path })
console.log(`runs: ${report.runs}`)
console.log(`successes: ${JSON.stringify(Object.fromEntries(report.successes))}`)
console.log(`refusals: ${JSON.stringify(Object.fromEntries(report.refusals))}`)

function wholeNumber(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number`)
  return Number(text)
}
