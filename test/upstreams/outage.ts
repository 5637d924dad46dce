import assert from 'node:assert/strict'
import { after, mock } from 'node:test'
import { createLogger } from '../../src/compose/logger.ts'
import type { Failure } from '../adapters/failure-scripts.ts'
import type { Script, SecureScriptedServer } from '../adapters/scripted-server.ts'
import type { ApiResponse } from '../support/client.ts'
import type { HeldTimeouts } from '../support/held-timeouts.ts'
import { waitFor } from '../support/wait-for.ts'
import type { Asker, FailedBy, Question, SeenUpstream } from './questions.ts'

/** An upstream as partners see it, the server in its place, and what that answers while it is well. */
export interface UpstreamUnderTest {
  seen: SeenUpstream
  server: SecureScriptedServer
  well: Script
}

/**
 * Those of an attempt and of a whole call are held: they end when `proveOutage` says so. How long an open breaker waits is passed
 * by the clock below. The payment processor's client has limits of its own, which follow from the deadline.
 */
export const outageLimits = {
  connectMs: 60_000,
  headersMs: 60_000,
  bodyMs: 60_000,
  attemptMs: 8_907,
  deadlineMs: 9_007,
  maxBytes: 64 * 1024,
  retries: 0,
  failuresToOpen: 2,
  halfOpenAfterMs: 60_000,
}
/** What the log has told of circuit breakers, and the clock that opens and closes them: it stands still unless it is moved. */
export function watchBreakers() {
  const told: string[] = []
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  after(() => mock.timers.reset())
  return {
    log: createLogger('info', {
      write(line: string) {
        const { upstream, breaker, level } = JSON.parse(line)
        if (level === 'info' && breaker !== undefined) told.push(`${upstream} ${breaker}`)
      },
    }),
    passSeconds: (seconds: number) => mock.timers.setTime(Date.now() + seconds * 1_000),
    /** Waits for news that nobody has asked for yet. */
    somethingTold: () => waitFor('a breaker is logged', () => told.length > 0),
    /** Since this was asked last. */
    news: () => told.splice(0),
  }
}

export interface Outage {
  failing: UpstreamUnderTest
  others: readonly UpstreamUnderTest[]
  failure: Failure
  /** As many as open a breaker, who ask while the upstream fails. */
  askers: readonly Asker[]
  neighbour: Asker
  breakers: ReturnType<typeof watchBreakers>
  limits: HeldTimeouts
}

/**
 * One upstream fails in one way: every answer is right and comes although the upstream hangs on, nothing is half-done; the breaker opens, so that the next
 * partner is told at once and the upstream is not asked; everything that needs other upstreams works; and when it is
 * well again it is asked once to see, and the very questions that failed are answered whole.
 */
export async function proveOutage(outage: Outage): Promise<void> {
  const { failing, failure, askers, neighbour, breakers } = outage
  const { seen, server, well } = failing
  const questions = await Promise.all([...askers, neighbour].map((asker) => seen.newQuestion(asker)))
  breakers.news()
  server.requests.length = 0
  await failure.begin(server)
  let proven = false
  try {
    await proveFailure(outage, questions)
    proven = true
  } finally {
    await failure.end(server)
    server.answerWith(well)
    breakers.passSeconds(61)
    if (!proven) await closeBreakers(outage)
  }
  for (const [place, question] of questions.entries()) {
    await seen.assertWhole(await question())
    if (place === 0) assert.deepEqual(breakers.news(), [`${seen.name} half-open`, `${seen.name} closed`])
  }
  assert.ok(!server.requests.some(({ url }) => url === '/elsewhere'), 'the redirect was followed')
}

/** `questions`: one of each asker, and the neighbour's, who asks when the breaker is open. */
async function proveFailure(outage: Outage, questions: readonly Question[]): Promise<void> {
  const { failing, others, failure, neighbour, breakers } = outage
  const { seen, server } = failing
  const [next = assert.fail('nobody is left to ask'), ...first] = questions.toReversed()
  const before = await seen.kept()
  const answers =
    seen.asksOnce === true
      ? await askOneByOne(first, async (question) => {
          breakers.passSeconds(31)
          return answered(outage, question())
        })
      : await answered(outage, Promise.all(first.map((question) => question())))
  for (const answer of answers) seen.assertFailed(answer, failedBy(failure))
  assert.deepEqual(await seen.kept(), before)
  // A call that ran out of time is answered at its deadline, and counted as soon as its last try has ended.
  await breakers.somethingTold()
  assert.deepEqual(breakers.news(), [`${seen.name} open`])

  if (failure.asksNothing) assert.equal(server.requests.length, 0)

  await proveLeftAlone(outage, next)
  await Promise.all(others.map((other) => other.seen.assertUnaffected(neighbour)))
  assert.deepEqual(breakers.news(), [])
  if (failure.name === 'status 500') await proveLookedAfter(outage, next)
}

/** What the questions come to; where they hang, their attempts end as soon as nothing else is being asked. */
async function answered<Result>({ failing, failure, limits }: Outage, questions: Promise<Result>): Promise<Result> {
  if (failure.kind !== 'timeout') return questions
  const { server } = failing
  let ended = server.requests.length
  let isDone = false
  const answers = questions.finally(() => {
    isDone = true
  })
  await waitFor('the questions are answered', () => {
    const hanging = server.requests.length - ended
    if (hanging > 0 && limits.running(outageLimits.attemptMs) === hanging) {
      limits.pass(outageLimits.attemptMs)
      ended = server.requests.length
    }
    return isDone
  })
  return answers
}

/** So that a case that fails does so alone, instead of leaving to all that follow a breaker that is open. */
async function closeBreakers({ failing, others, neighbour }: Outage): Promise<void> {
  for (const { seen } of [failing, ...others]) {
    const question = await seen.newQuestion(neighbour)
    await question()
  }
}

/** Whoever asks is told at once, and nothing is sent. */
async function proveLeftAlone({ failing: { seen, server }, breakers }: Outage, question: Question): Promise<void> {
  server.requests.length = 0
  breakers.passSeconds(10)
  seen.assertFailed(await question(), { kind: 'left-alone' })
  assert.equal(server.requests.length, 0)
}

/** After a while one question is let through to see; where that fails too, all others are told at once as before. */
async function proveLookedAfter(outage: Outage, question: Question): Promise<void> {
  const { failing, failure, breakers } = outage
  const { seen, server } = failing
  breakers.passSeconds(61)
  seen.assertFailed(await question(), failedBy(failure))
  assert.ok(server.requests.length > 0)
  assert.deepEqual(breakers.news(), [`${seen.name} half-open`, `${seen.name} open`])
  await proveLeftAlone(outage, question)
}

async function askOneByOne(
  questions: readonly Question[],
  ask: (question: Question) => Promise<ApiResponse>,
): Promise<ApiResponse[]> {
  const answers: ApiResponse[] = []
  for (const question of questions) answers.push(await ask(question))
  return answers
}

function failedBy({ kind, retryAfterSeconds }: Failure): FailedBy {
  return { kind, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
}
