import { execFileSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findDistribution } from '../src/platform/private-postgres/distribution.ts'
import { growth } from './growth/growth.ts'
import { memory } from './memory.ts'
import { ladder } from './requests/ladder.ts'
import { openLoop } from './requests/open-loop.ts'
import { steady } from './requests/steady.ts'
import type { Run, Scenario } from './scenario.ts'
import { start } from './start.ts'
import { tracing } from './tracing.ts'
import { webhooks } from './webhooks/webhooks.ts'
import '../test/support/loopback-only.ts'

/*
 * `npm run bench -- SCENARIO`: measures one scenario and prints what it found as Markdown. docs/benchmarks/README.md
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
  tracing,
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
  const begun = performance.now()
  const stops: (() => Promise<unknown>)[] = []
  const run: Run = {
    isQuick: values.quick,
    quotes: values.quick ? 2_000 : Number(values.quotes),
    properties: values.quick ? 5_000 : Number(values.properties),
    atEnd: (stop) => stops.push(stop),
    say: (what) => console.error(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${what}`),
  }
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  const maxMinutes = scenario.maxMinutes(run)
  const tooLong = new Error(`${name} has not ended after ${maxMinutes} minutes: the machine is too busy`)
  const timer = setTimeout(() => reject(tooLong), maxMinutes * 60_000)
  const onSignal = (signal: string) => reject(new Error(signal))
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('uncaughtException', reject)
  try {
    const before = load()
    const report = await Promise.race([scenario.measure(run), interrupted])
    const quick = run.isQuick ? 'The quick form: the figures mean nothing. ' : ''
    return `## ${name}\n\n${quick}${aboutMachine()} The load average was ${before} before and ${load()} after the run.\n\n${report}\n`
  } finally {
    clearTimeout(timer)
    for (const stop of stops.reverse()) await stop()
    // Until here, an error of what is being stopped must not end the process.
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('uncaughtException', reject)
  }
}

function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1)
}

function aboutMachine(): string {
  const postgres = join(findDistribution().folder, 'bin', 'postgres')
  const [version = ''] = /[\d.]+$/m.exec(execFileSync(postgres, ['--version'], { encoding: 'utf8' }).trim()) ?? []
  const [processor] = cpus()
  return `${cpus().length} cores, ${processor?.model.trim()}; Node ${process.versions.node}, PostgreSQL ${version}.`
}
