// Requests of every kind against every operation in every state: `npm run test:fuzz`. SEED and REQUESTS say which and how
// many; ONLY sends a single one of them again. Ends with exit code 1 where an answer was wrong or memory grew.
import { runCampaign } from '../test/fuzz/campaign.ts'
import { describeFinding, describeReport, shortcomings } from '../test/fuzz/verdict.ts'

const seed = wholeNumber('SEED') ?? Math.floor(Math.random() * 1_000_000)
const requests = wholeNumber('REQUESTS') ?? 20_000
const only = wholeNumber('ONLY')

console.log(`SEED=${seed} REQUESTS=${requests}${only === undefined ? '' : ` ONLY=${only}`}`)
const report = await runCampaign({ seed, requests, only })
console.log(describeReport(report))
for (const finding of report.findings) console.error(describeFinding(finding, seed))
const found = only === undefined ? shortcomings(report) : []
for (const each of found) console.error(each)
process.exitCode = report.findings.length + found.length > 0 ? 1 : 0

function wholeNumber(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} must be a whole number`)
  return Number(text)
}
