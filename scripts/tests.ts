// The tests: `node scripts/tests.ts [--pure | --full] [file or pattern ...]`. Exit code 1 where one fails.
//
// `--pure`: those that need neither service nor database. `--full`: also `*.full.test.ts`, and the campaigns at full size.
// A file that failed is run once more by itself, to help find out why; the run has failed all the same.
import { globSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { shareTestServer } from '../test/support/postgres.ts'
import type { FileOutcome } from './testing/outcome.ts'
import { runFiles } from './testing/run-files.ts'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const parameters = process.argv.slice(2)
const isPure = parameters.includes('--pure')
const isFull = parameters.includes('--full')
const named = parameters.filter((parameter) => !parameter.startsWith('--'))
if (isFull) process.env.TEST_SIZE = 'full'
// Test databases that belong to the run, not to one of its processes, carry its process id.
process.env.TEST_RUN = String(process.pid)

const pure = [
  '{src,simulators,private-postgres,journey}/**/*.test.ts',
  'test/{structure,behaviour}/*.test.ts',
  'test/**/*.pure.test.ts',
]
const files = named.length > 0 ? expand(named) : expand(isPure ? pure : [...pure, 'test/**/*.test.ts']).filter(isOfSize)

function expand(patterns: readonly string[]): string[] {
  return [...new Set(globSync(patterns))].sort()
}

function isOfSize(file: string): boolean {
  return isFull || !file.endsWith('.full.test.ts')
}

const timeoutMs = isFull ? 900_000 : 240_000
const mostRunAgain = 5
const begunAt = performance.now()
const outcomes: FileOutcome[] = []

const server = isPure ? undefined : await shareTestServer()
await runFiles(files, { timeoutMs, onOutcome: report })
const failed = outcomes.filter(({ failures }) => failures.length > 0).map(({ file }) => file)
for (const file of failed.slice(0, mostRunAgain)) {
  console.log(`\n${file} failed and is run once more by itself:`)
  await runFiles([file], { workers: 1, timeoutMs, onOutcome: print })
}
await server?.stop()

const sum = (of: (outcome: FileOutcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
const seconds = (performance.now() - begunAt) / 1_000
for (const file of failed) console.error(`✖ ${file} failed`)
if (files.length === 0) console.error('No file of tests is called that.')
console.log(`\n${outcomes.length} files in ${seconds.toFixed(0)} s`)
console.log(
  `${sum(({ passed }) => passed)} passed, ${sum(({ failures }) => failures.length)} failed, ${sum(({ skipped }) => skipped)} skipped`,
)
process.exitCode = failed.length > 0 || files.length === 0 ? 1 : 0

function report(outcome: FileOutcome): void {
  outcomes.push(outcome)
  print(outcome)
}

function print({ file, passed, failures, seconds, diagnostics }: FileOutcome): void {
  const mark = failures.length > 0 ? '✖' : '✔'
  console.log(`${mark} ${file}  ${passed} passed, ${seconds.toFixed(1)} s`)
  for (const diagnostic of diagnostics) console.log(`  ${diagnostic}`)
  for (const { titles, error } of failures) console.log(`  ✖ ${titles.join(' › ')}\n${error.replaceAll(/^/gm, '    ')}`)
}
