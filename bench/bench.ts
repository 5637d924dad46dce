import { parseArgs } from 'node:util'
import { aboutMachine, load, runBounded } from './bounded-run.ts'
import { growth } from './growth/growth.ts'
import { memory } from './memory.ts'
import { ladder } from './requests/ladder.ts'
import { openLoop } from './requests/open-loop.ts'
import { steady } from './requests/steady.ts'
import type { RunSize, Scenario } from './scenario.ts'
import { start } from './start.ts'
import { webhooks } from './webhooks/webhooks.ts'
import '../test/support/loopback-only.ts'

/*
 * `npm run bench -- SCENARIO`: measures one scenario and prints what it found as Markdown. contributing/benchmarks/README.md
 * says what each scenario means. Loopback only; each stops by itself.
 */

const scenarios: Readonly<Record<string, Scenario>> = {
  ladder,
  'open-loop': openLoop,
  steady,
  webhooks,
  growth,
  memory,
  start,
}
/** Names that stand for several scenarios. */
const groups: Readonly<Record<string, readonly string[]>> = { requests: ['ladder', 'open-loop', 'steady'] }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    quotes: { type: 'string', default: '100000' },
    properties: { type: 'string', default: '300000' },
  },
})
const [chosen = ''] = positionals
const names = groups[chosen] ?? [chosen]
for (const name of names) {
  const scenario = scenarios[name]
  const known = [...Object.keys(groups), ...Object.keys(scenarios)].join('|')
  if (scenario === undefined || positionals.length > 1)
    throw new Error(`usage: npm run bench -- ${known} [--quick] [--quotes NUMBER] [--properties NUMBER]`)
  console.log(await measure(name, scenario))
}
process.exit()

async function measure(name: string, scenario: Scenario): Promise<string> {
  const size: RunSize = {
    isQuick: values.quick,
    quotes: values.quick ? 2_000 : Number(values.quotes),
    properties: values.quick ? 5_000 : Number(values.properties),
  }
  const before = load()
  const report = await runBounded(name, scenario.maxMinutes(size), (steps) => scenario.measure({ ...size, ...steps }))
  const quick = size.isQuick ? 'The quick form: the figures mean nothing. ' : ''
  return `## ${name}\n\n${quick}${aboutMachine()} The load average was ${before} before and ${load()} after the run.\n\n${report}\n`
}
