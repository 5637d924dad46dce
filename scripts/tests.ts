// Runs the tests: `node scripts/tests.ts [--pure | --full] [file or pattern ...]`. Exits with 1 if a test fails.
//
// `--pure` runs only tests that need neither service nor database. `--full` also runs `*.full.test.ts`, and runs
// campaigns at full size. A failed file is rerun alone, to help find the cause, but the run still counts as failed.
import { globSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { shareTestServer } from '../test/support/postgres.ts'
import { type FileOutcome, secondsOf, secondsOfChildren } from './testing/outcome.ts'
import { runFiles } from './testing/run-files.ts'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const parameters = process.argv.slice(2)
const isPure = parameters.includes('--pure')
const isFull = parameters.includes('--full')
const named = parameters.filter((parameter) => !parameter.startsWith('--'))
if (isFull) process.env.TEST_SIZE = 'full'
// The names of test databases shared by the whole run contain this process id.
process.env.TEST_RUN = String(process.pid)

const pure = ['src/**/*.test.ts', 'test/structure/*.test.ts', 'test/**/*.pure.test.ts']
const files = named.length > 0 ? expand(named) : expand(isPure ? pure : [...pure, 'test/**/*.test.ts']).filter(isOfSize)

/** Puts the short files of `src/` last, so that all processes end at about the same time. */
function expand(patterns: readonly string[]): string[] {
  return [...new Set(globSync(patterns))].sort().reverse()
}

function isOfSize(file: string): boolean {
  return isFull || !file.endsWith('.full.test.ts')
}

// Only a file that hangs takes as long: a slow machine, or one busy with other work, must not make the run fail.
const timeoutMs = 900_000
const maxRunAgain = 5
const begunAt = performance.now()
const outcomes: FileOutcome[] = []

const server = isPure ? undefined : await shareTestServer()
await runFiles(files, { timeoutMs, onOutcome: report })
const failed = outcomes.filter(({ failures }) => failures.length > 0).map(({ file }) => file)
for (const file of failed.filter((name) => files.includes(name)).slice(0, maxRunAgain)) {
  console.log(`\n${file} failed; rerunning it alone:`)
  await runFiles([file], { workers: 1, timeoutMs, onOutcome: print })
}
// The workers have ended, and PostgreSQL has not: whether it is among the children afterwards depends on who waits for it.
const inPostgres = server?.pid === undefined ? 0 : secondsOf(server.pid)
const inChildren = secondsOfChildren()
await server?.stop()

const sum = (of: (outcome: FileOutcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
const seconds = (performance.now() - begunAt) / 1_000
for (const file of failed) console.error(`✖ ${file} failed`)
if (files.length === 0) console.error('No test file matches.')
const { user, system } = process.cpuUsage()
const processorSeconds = (user + system) / 1_000_000 + inChildren + inPostgres
const inFiles = sum((outcome) => outcome.processorSeconds)
console.log(
  `\n${outcomes.length} files in ${seconds.toFixed(0)} s, ${processorSeconds.toFixed(0)} s of processor time: ${shown(
    inFiles,
    sum(({ childSeconds }) => childSeconds),
  )}, ${inPostgres.toFixed(0)} s in the shared PostgreSQL`,
)
console.log(
  `${sum(({ passed }) => passed)} passed, ${sum(({ failures }) => failures.length)} failed, ${sum(({ skipped }) => skipped)} skipped`,
)
process.exitCode = failed.length > 0 || files.length === 0 ? 1 : 0

function report(outcome: FileOutcome): void {
  outcomes.push(outcome)
  print(outcome)
}

function shown(processorSeconds: number, childSeconds: number): string {
  const beside = childSeconds < 0.05 ? '' : ` and ${childSeconds.toFixed(1)} s in processes it started`
  return `${processorSeconds.toFixed(1)} s in the tests' processes${beside}`
}

function print({ file, passed, failures, seconds, processorSeconds, childSeconds, diagnostics }: FileOutcome): void {
  const mark = failures.length > 0 ? '✖' : '✔'
  console.log(`${mark} ${file}  ${passed} passed, ${seconds.toFixed(1)} s, ${shown(processorSeconds, childSeconds)}`)
  for (const diagnostic of diagnostics) console.log(`  ${diagnostic}`)
  for (const { titles, error } of failures) console.log(`  ✖ ${titles.join(' › ')}\n${error.replaceAll(/^/gm, '    ')}`)
}
