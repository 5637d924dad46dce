import { Writable } from 'node:stream'
import type { TestEvent } from 'node:test/reporters'
import { type Failure, type FileOutcome, secondsOfChildren, sendToRunner } from './outcome.ts'

let current = emptyFile()
let usedBefore = process.cpuUsage()
let usedByChildrenBefore = secondsOfChildren()
/** The titles of the tests in progress, by depth. */
const titles: string[] = []

/** A `node:test` reporter for workers: sends the outcome of each file to the runner and prints nothing. */
export const outcomeReporter = new Writable({
  objectMode: true,
  write(event: TestEvent, _encoding, done) {
    take(event)
    done()
  },
})

function take({ type, data }: TestEvent): void {
  if (type === 'test:start') titles[data.nesting] = data.name
  if (type === 'test:diagnostic' && data.nesting > 0) current.diagnostics.push(data.message)
  if (type !== 'test:pass' && type !== 'test:fail') return
  const { nesting, name } = data
  const isFile = nesting === 0
  if (type === 'test:fail' && isOwnFailure(data.details.error)) {
    const own = isFile ? [] : [...titles.slice(1, nesting), name]
    current.failures.push({ titles: own, error: describe(data.details.error) })
  }
  if (type === 'test:pass' && !isFile && data.details.type !== 'suite') {
    if (data.skip === undefined) current.passed += 1
    else current.skipped += 1
  }
  if (!isFile) return
  const { user, system } = process.cpuUsage(usedBefore)
  usedBefore = process.cpuUsage()
  const usedByChildren = secondsOfChildren()
  const outcome: FileOutcome = {
    file: name,
    ...current,
    seconds: data.details.duration_ms / 1_000,
    processorSeconds: (user + system) / 1_000_000,
    childSeconds: usedByChildren - usedByChildrenBefore,
  }
  usedByChildrenBefore = usedByChildren
  sendToRunner(outcome)
  current = emptyFile()
}

function emptyFile() {
  return { passed: 0, skipped: 0, failures: [] as Failure[], diagnostics: [] as string[] }
}

/** False for a test that failed only because a subtest failed, which has already been counted. */
function isOwnFailure(error: Error): boolean {
  return (error as { failureType?: string }).failureType !== 'subtestsFailed'
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The test runner wraps the thrown error.
  if ((error as { code?: string }).code === 'ERR_TEST_FAILURE') return describe(error.cause)
  const because = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`
  return `${error.stack ?? error.message}${because}`
}
