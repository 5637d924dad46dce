// The tests, or those of the files that are named: `node scripts/tests.ts [file or pattern ...]`. Exit code 1 where one fails.
//
// Few of them measure time, all of them wait for something, and a machine that stands still for seconds (another tenant's load, a host
// that is moved) fails whichever was waiting. So a file that failed beside all others is run three times more by itself: only
// where it passes each time is the failure put down to the machine, and it is told at the end all the same. Many
// failures are not looked at again, nor are those of suites where even one failure in a thousand runs is ours.
import { relative } from 'node:path'
import process from 'node:process'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { isLookedAtAgain } from './looked-at-again.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const looksAgain = 3

/** Known to Node, not yet to its types. */
const globalSetup = { globalSetupPath: 'test/support/postgres-for-run.ts' }

process.chdir(root)
// For every process of the tests: nothing leaves this machine.
process.env.NODE_OPTIONS = `--import=${new URL('../test/support/loopback-only.ts', import.meta.url).href}`

/** The files in which something failed, from the project's root, in order. */
async function failedFilesOf(patterns: readonly string[]): Promise<readonly string[]> {
  const failed = new Set<string>()
  const events = run({
    globPatterns: patterns,
    concurrency: 2,
    // A test that hangs is a failure, not an endless run.
    timeout: 240_000,
    ...globalSetup,
  })
  let isGreen = false
  events.on('test:summary', ({ file, success }) => {
    if (file === undefined) isGreen = success
    else if (!success) failed.add(relative(root, file))
  })
  // A file that dies has no summary. Where a test was written may be another file than the one that ran it.
  events.on('test:fail', ({ file = '' }) => {
    if (/\.test\.\w+$/.test(file)) failed.add(relative(root, file))
  })
  for await (const text of events.compose(new spec())) process.stdout.write(text)
  if (!isGreen && failed.size === 0) failed.add('the run as a whole')
  return [...failed]
}

async function passesAlone(file: string): Promise<boolean> {
  for (let look = 1; look <= looksAgain; look += 1) {
    console.log(`\n${file} failed: run ${look} of ${looksAgain} by itself`)
    if ((await failedFilesOf([file])).length > 0) return false
  }
  return true
}

const named = process.argv.slice(2)
const failed = await failedFilesOf(
  named.length > 0 ? named : ['{src,simulators,private-postgres,journey,test}/**/*.test.ts'],
)
const excused: string[] = []
if (isLookedAtAgain(failed)) for (const file of failed) if (await passesAlone(file)) excused.push(file)

for (const file of failed)
  console.error(
    excused.includes(file)
      ? `! ${file} failed once and passed ${looksAgain} times by itself: put down to the machine. Where that happens again, mend the test.`
      : `✖ ${file} failed`,
  )
process.exitCode = excused.length < failed.length ? 1 : 0
