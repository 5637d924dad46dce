import { parseArgs } from 'node:util'
import { aboutMachine, load, runBounded } from './bounded-run.ts'
import { memory } from './memory.ts'
import { ladder } from './requests/ladder.ts'
import { steady } from './requests/steady.ts'
import type { RunSize, Scenario } from './scenario.ts'
import { start } from './start.ts'
import '../test/support/loopback-only.ts'

/*
 * `npm run bench -- SCENARIO`: measures one scenario and prints what it found as Markdown. contributing/benchmarks/README.md
 * says what each scenario means. Loopback only; each stops by itself.
 */

const scenarios: Readonly<Record<string, Scenario>> = {
  ladder,
  steady,
  memory,
  start,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
})
const [name = ''] = positionals
const scenario = scenarios[name]
if (scenario === undefined || positionals.length > 1)
  throw new Error(`usage: npm run bench -- ${Object.keys(scenarios).join('|')} [--quick]`)
const size: RunSize = { isQuick: values.quick }
const before = load()
const report = await runBounded(name, scenario.maxMinutes(size), (steps) => scenario.measure({ ...size, ...steps }))
const quick = size.isQuick ? 'The quick form: the figures mean nothing. ' : ''
console.log(
  `## ${name}\n\n${quick}${aboutMachine()} The load average was ${before} before and ${load()} after the run.\n\n${report}\n`,
)
process.exit()
